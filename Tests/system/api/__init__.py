"""Programs of other projects read /api/v1/openapi.json: `scripts/check api`.

  client      the typed client that openapi-python-client makes, and what mypy says of a program over it
  report      that program, which the project's Python never imports
  contract    schemathesis asks each route, and compares the answers with their schemas
"""
