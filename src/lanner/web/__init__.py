"""The web app: judges by their links, organisers by signing in. `routes.ROUTES` is all of it on one screen."""
