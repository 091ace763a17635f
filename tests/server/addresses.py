"""Every address of the server, and who is let in there."""

import re

#: For each address under /api: what an analyst with a share, one without, a curator, a token for prices, nobody get.
ROLES = ("analyst", "stranger", "curator", "pricer", "nobody")
API = {
    ("GET", "/health"): (200, 200, 200, 200, 200),
    ("GET", "/api/openapi.json"): (200, 200, 200, 200, 200),
    ("GET", "/api/tables"): (200, 200, 200, 200, 401),
    ("GET", "/api/tables/{name}"): (200, 404, 200, 200, 401),
    ("POST", "/api/tables/{name}/quote"): (200, 404, 403, 200, 401),
    ("POST", "/api/tables/{name}/explain"): (200, 404, 403, 200, 401),
    ("POST", "/api/tables/{name}/rehearse"): (200, 404, 403, 200, 401),
    ("POST", "/api/tables/{name}/run"): (200, 404, 403, 403, 401),
    ("POST", "/api/tables/{name}/plan"): (200, 404, 403, 200, 401),
    ("POST", "/api/tables/{name}/plan/run"): (200, 404, 403, 403, 401),
    ("POST", "/api/tables/{name}/advise"): (200, 404, 403, 403, 401),
    ("POST", "/api/tables/{name}/apply"): (200, 404, 403, 403, 401),
    ("GET", "/api/tables/{name}/budget"): (200, 404, 403, 200, 401),
    ("GET", "/api/tables/{name}/releases"): (200, 404, 200, 200, 401),
    ("GET", "/api/tables/{name}/releases/{charge}"): (200, 404, 404, 200, 401),
    ("POST", "/api/tables/{name}/releases/{charge}/check"): (200, 404, 404, 200, 401),
    ("GET", "/api/tables/{name}/releases/{charge}/{kind}"): (200, 404, 404, 200, 401),
    ("GET", "/api/tables/{name}/ledger"): (403, 403, 200, 403, 401),
    ("GET", "/api/mechanisms"): (200, 200, 200, 200, 401),
    ("GET", "/api/mechanisms/{name}"): (404, 404, 404, 404, 401),
}
#: For each page: analyst with a share, one without, curator, nobody. A form of nobody's leads to the log-in page.
VISITORS = ("analyst", "stranger", "curator", "nobody")
PAGES = {
    ("GET", "/"): (200, 200, 200, 303),
    ("GET", "/login"): (200, 200, 200, 200),
    ("POST", "/login"): (403, 403, 403, 403),  # not by a form of the log-in page
    ("POST", "/logout"): (303, 303, 303, 303),
    ("GET", "/account"): (200, 200, 200, 303),
    ("POST", "/account/token"): (400, 400, 400, 303),  # a form that says nothing
    ("POST", "/account/revoke"): (400, 400, 400, 303),
    ("POST", "/account/password"): (400, 400, 400, 303),
    ("POST", "/account/everywhere"): (303, 303, 303, 303),
    ("GET", "/tables/{name}"): (200, 404, 403, 303),
    ("POST", "/tables/{name}/price"): (200, 404, 403, 303),
    ("POST", "/tables/{name}/plan"): (200, 404, 403, 303),
    ("POST", "/tables/{name}/ask"): (303, 404, 403, 303),
    ("GET", "/tables/{name}/releases"): (200, 404, 403, 303),
    ("GET", "/tables/{name}/releases/{charge}"): (200, 404, 404, 303),
    ("POST", "/tables/{name}/releases/{charge}/check"): (200, 404, 404, 303),
    ("GET", "/tables/{name}/releases/{charge}/{kind}"): (200, 404, 404, 303),
    ("GET", "/tables/{name}/planner"): (200, 404, 403, 303),
    ("POST", "/tables/{name}/planner"): (200, 404, 403, 303),
    ("POST", "/tables/{name}/planner/pay"): (303, 404, 403, 303),
    ("GET", "/mechanisms"): (200, 200, 200, 303),
    ("GET", "/mechanisms/{name}"): (404, 404, 404, 303),
    ("GET", "/curate"): (403, 403, 200, 303),
    ("GET", "/curate/tables/{name}"): (403, 403, 200, 303),
    ("POST", "/curate/tables/{name}/advise"): (403, 403, 403, 303),  # this curator has no share to pay from
    ("GET", "/curate/tables/{name}/advice/{charge}"): (403, 403, 404, 303),
    ("POST", "/curate/tables/{name}/advice/{charge}/write"): (403, 403, 404, 303),
    ("GET", "/curate/accounts"): (403, 403, 200, 303),
    ("POST", "/curate/accounts/add"): (403, 403, 400, 303),
    ("POST", "/curate/accounts/share"): (403, 403, 400, 303),
    ("POST", "/curate/accounts/state"): (403, 403, 400, 303),
    ("GET", "/curate/events"): (403, 403, 200, 303),
    ("GET", "/curate/protect"): (403, 403, 404, 303),
    ("POST", "/curate/protect"): (403, 403, 404, 303),
    ("GET", "/static/{file}"): (404, 404, 404, 404),
}


def address(path, charge):
    words = {"name": "people", "charge": str(charge), "kind": "csv", "file": "nothing"}
    return re.sub(r"\{(\w+)\}", lambda found: words[found[1]], path)
