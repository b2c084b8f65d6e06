"""Version 1 of the JSON API, for front ends of others: see docs/howto/front_end.md.

Enters: requests with JSON and bearers' tokens. Leaves: what pages are drawn from, as JSON. One table of operations
gives the routes, the OpenAPI document and the tools of the Model Context Protocol.
"""
