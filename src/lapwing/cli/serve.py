"""``lapwing serve``: every protected table of a folder, behind a door."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import click
from rich.markup import escape

from lapwing.cli.console import emit, json_option, people
from lapwing.server.accounts.passwords import missing


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 takes a free one.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option(
    "--behind-proxy",
    is_flag=True,
    help="A proxy with TLS stands before the server: other addresses are allowed, and X-Forwarded-For is believed.",
)
@click.option(
    "--pace",
    type=float,
    default=2.0,
    show_default=True,
    metavar="SECONDS",
    help="Paid answers leave this long after their turn has come, or twice, four times ... as long.",
)
@click.option(
    "--timeout", type=float, default=64.0, show_default=True, metavar="SECONDS", help="A question ends after this long."
)
@json_option
def serve(folder: Path, port: int, host: str, behind_proxy: bool, pace: float, timeout: float, as_json: bool) -> None:
    """Serve the protected tables of FOLDER: an API, and pages to ask them. Analysts reach answers, never data.

    \b
      lapwing account add tables ana --role analyst --share people=1
      lapwing serve tables
      token=$(lapwing account token tables ana)
      curl -H "Authorization: Bearer $token" http://127.0.0.1:8000/api/tables

    It listens on this machine only; to be reached from others it needs a proxy that speaks TLS. It does not start on a
    ledger that is not intact. Ctrl-C, or SIGTERM, stops it once the questions being answered are.

    Exit codes: 0 stopped, 2 bad input or a ledger that is not intact, 70 a mistake in Lapwing.
    """  # noqa: D301  # click reads \b, the character, as "keep these lines"

    def started(url: str) -> None:
        tables = [desk.name for desk in Desks(folder, to_standard_error).all()]
        if as_json:
            emit({"url": url, "tables": tables})
        console = people(to_stderr=as_json)
        console.print(f"serving {escape(', '.join(tables) or 'no table yet')} at [bold]{url}[/]", soft_wrap=True)
        accounts, here = Accounts.of(folder), shlex.quote(str(folder))
        if not accounts.all():
            console.print(
                f"nobody can log in yet: lapwing account add {escape(here)} NAME --role curator", soft_wrap=True
            )
        for table in unasked(folder, accounts):
            console.print(
                f"nobody with an account may ask {escape(table)} yet: "
                f"lapwing account share {escape(here)} NAME {escape(table)}=EPSILON",
                soft_wrap=True,
            )
        sys.stdout.flush()  # whoever started it through a pipe waits for this line

    try:
        from lapwing.server.accounts import Accounts
        from lapwing.server.around_requests import to_standard_error
        from lapwing.server.desks import Desks
        from lapwing.server.granting import unasked
    except ModuleNotFoundError:
        raise missing() from None
    serve_folder(folder, host, port, (pace, timeout), behind_proxy=behind_proxy, started=started)


def serve_folder(
    folder: Path,
    host: str,
    port: int,
    times: tuple[float, float],
    *,
    behind_proxy: bool,
    started: Callable[[str], None],
) -> None:
    """Serves until it is told to stop; ``started`` hears the address once it can be reached."""
    try:
        from lapwing.server.application import Settings, application
        from lapwing.server.pacing import Schedule
        from lapwing.server.running import alone, listen
        from lapwing.server.running import serve as run
    except ModuleNotFoundError:
        raise missing() from None
    schedule = Schedule(*times)
    app = application(Settings(folder, schedule, secure=behind_proxy))
    with alone(folder), listen(host, port, behind_proxy=behind_proxy) as sock:
        name = f"[{host}]" if ":" in host else host
        run(app, sock, schedule.timeout, lambda: started(f"http://{name}:{sock.getsockname()[1]}"))
