"""Keys of servers: from the environment, or from the system's keyring; never from a file of ours, never stored."""

from __future__ import annotations

import importlib
import os

OWN = "LANNER_API_KEY"
_OF_HOST = {"api.openai.com": "OPENAI_API_KEY"}  # a key goes to the host it is for, and to no other


def key_for(host: str, variable: str = "") -> str:
    """The key for a host: from the variable that was named, else `LANNER_API_KEY`, else the host's own variable, else
    the keyring's entry (service "lanner", user the host). "" where there is none, as for servers of one's own."""
    for name in (variable,) if variable else (OWN, _OF_HOST.get(host, "")):
        if name and os.environ.get(name):
            return os.environ[name].strip()
    return _from_keyring(host)


def where_keys_are(host: str, variable: str = "") -> str:
    """What to do where a key is missing."""
    names = [variable] if variable else [name for name in (OWN, _OF_HOST.get(host, "")) if name]
    return f"Set {' or '.join(names)} in the environment, or keep it: python -m keyring set lanner {host}"


def _from_keyring(host: str) -> str:
    try:
        keyring = importlib.import_module("keyring")
        return str(keyring.get_password("lanner", host) or "")
    except ModuleNotFoundError:
        return ""
    except Exception:  # a keyring without a desktop raises errors of its own kinds; then there is no key in it
        return ""
