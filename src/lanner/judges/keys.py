"""Keys of servers: from the environment, or from the system's keyring; never from a file of ours, never stored."""

from __future__ import annotations

import importlib
import os
import re

OWN = "LANNER_API_KEY"
_OF_HOST = {  # a key goes to the host it is for, and to no other
    "api.openai.com": "OPENAI_API_KEY",
    "api.anthropic.com": "ANTHROPIC_API_KEY",
    "generativelanguage.googleapis.com": "GEMINI_API_KEY",
}


def key_for(host: str, variable: str = "", *, only: bool = True) -> str:
    """The key for a host: from the variable that was named, else from the host's own variables, else `LANNER_API_KEY`
    where this is the only server of a run, else the keyring's entry (service "lanner", user the host). "" where there
    is none, as for servers of one's own."""
    for name in _variables(host, variable, only):
        if os.environ.get(name):
            return os.environ[name].strip()
    return _from_keyring(host)


def where_keys_are(host: str, variable: str = "") -> str:
    """What to do where a key is missing or wrong."""
    names = " or ".join(name for name in _variables(host, variable, only=True) if name != own_variable(host))
    return f"Set {names} in the environment to a valid key, or keep it: python -m keyring set lanner {host}"


def own_variable(host: str) -> str:
    """The variable for one host, whatever it is: LANNER_API_KEY_MY_SERVER_ORG for my-server.org."""
    return f"{OWN}_{re.sub('[^A-Z0-9]', '_', host.upper())}"


def _variables(host: str, variable: str, only: bool) -> list[str]:
    if variable:
        return [variable]
    names = [own_variable(host), *((OWN,) if only else ()), _OF_HOST.get(host, "")]
    return [name for name in names if name]


def _from_keyring(host: str) -> str:
    try:
        keyring = importlib.import_module("keyring")
        return str(keyring.get_password("lanner", host) or "")
    except ModuleNotFoundError:
        return ""
    except Exception:  # a keyring without a desktop raises errors of its own kinds; then there is no key in it
        return ""
