"""An MCP server with one tool, which returns the text of a web page or of a workspace file."""

import html
import pathlib
import re
import urllib.request

from stdio import Server, ToolError

LIMIT = 100_000
WORKSPACE = pathlib.Path.cwd().resolve()

server = Server("fetch")


@server.tool(
    "fetch",
    "Read a web page (http or https URL) or a file of the workspace (relative path) as text.",
    url="The URL or path.",
)
def fetch(url):
    if re.match(r"https?://", url):
        request = urllib.request.Request(url, headers={"User-Agent": "research-agent"})
        with urllib.request.urlopen(request, timeout=20) as response:
            text = response.read(4 * LIMIT).decode("utf-8", "replace")
            if "html" in response.headers.get("Content-Type", ""):
                text = plain(text)
    else:
        path = (WORKSPACE / url.removeprefix("file://")).resolve()
        if not path.is_relative_to(WORKSPACE):
            raise ToolError(f"{url} is outside the workspace")
        text = path.read_text("utf-8", "replace")
    return text if len(text) <= LIMIT else text[:LIMIT] + "\n[truncated]"


def plain(page):
    """Returns the text of an HTML page without markup, scripts and styles."""
    page = re.sub(r"(?is)<(script|style|noscript)\b.*?</\1>", " ", page)
    page = re.sub(r"(?i)<(br|/p|/div|/li|/h[1-6]|/tr)\b[^>]*>", "\n", page)
    page = html.unescape(re.sub(r"<[^>]+>", " ", page))
    lines = (" ".join(line.split()) for line in page.splitlines())
    return "\n".join(line for line in lines if line)


if __name__ == "__main__":
    server.run()
