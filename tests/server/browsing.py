"""A person with a browser that runs no scripts: cookies, links and forms."""

import re
from html.parser import HTMLParser

from tests.server.making import PASSWORD


class _Forms(HTMLParser):
    """The forms of a page: where they go, and what they hold."""

    def __init__(self):
        super().__init__()
        self.forms = []
        self._open = None
        self._select = None
        self._area = None

    def handle_starttag(self, tag, attributes):
        words = dict(attributes)
        if tag == "form":
            self._open = {"action": words["action"], "method": words.get("method", "get"), "fields": {}, "buttons": []}
            self.forms.append(self._open)
        elif self._open is None:
            return
        elif tag == "input" and "name" in words:
            self._open["fields"][words["name"]] = words.get("value", "")
        elif tag == "button":
            self._open["buttons"].append(words)
        elif tag == "textarea":
            self._area = words["name"]
            self._open["fields"][self._area] = ""
        elif tag == "select":
            self._select = words["name"]
        elif tag == "option" and ("selected" in words or self._select not in self._open["fields"]):
            self._open["fields"][self._select] = words.get("value", "")

    def handle_data(self, data):
        if self._area is not None and self._open is not None:
            self._open["fields"][self._area] += data

    def handle_endtag(self, tag):
        if tag == "form":
            self._open = None
        if tag == "select":
            self._select = None
        if tag == "textarea":
            self._area = None


def forms(page):
    parser = _Forms()
    parser.feed(page.text)
    return parser.forms


def form_to(page, action):
    """The form of a page that goes to this address."""
    [found] = [form for form in forms(page) if form["action"] == action]
    return found


class Person:
    """Somebody at a browser of their own."""

    def __init__(self, house, name=None, password=PASSWORD):
        self.house = house
        self.client = house.client
        self.cookies = {}
        if name is not None:
            done = self.log_in(name, password)
            assert done.status_code == 303, done.text

    def get(self, path, **headers):
        return self._do("GET", path, headers=headers)

    def post(self, path, fields, **headers):
        sent = {"Origin": "http://127.0.0.1:8000", **{k.replace("_", "-"): v for k, v in headers.items()}}
        return self._do("POST", path, data=fields, headers=sent)

    def send(self, page, action, **more):
        """Sends a form of a page, as it is or filled in."""
        form = form_to(page, action)
        return self.post(action, {**form["fields"], **more})

    def follow(self, response):
        while response.status_code == 303:
            response = self.get(response.headers["location"])
        return response

    def log_in(self, name, password=PASSWORD):
        return self.send(self.get("/login"), "/login", name=name, password=password)

    @property
    def form(self):
        """The word that forms of this session carry."""
        return re.search(r'name="form" value="([0-9a-f]+)"', self.get("/account").text)[1]

    def _do(self, method, path, **words):
        headers = dict(words.pop("headers"))
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        self.client.cookies.clear()  # one client for all people: each brings their own
        response = self.client.request(method, path, headers=headers, **words)
        for line in response.headers.get_list("set-cookie"):
            name, _, rest = line.partition("=")
            value = rest.partition(";")[0].strip('"')
            if value:
                self.cookies[name] = value
            else:
                self.cookies.pop(name, None)
        return response
