"""The web app: judges by their links, organisers by signing in. `app.ROUTES` is all of it on one screen."""
