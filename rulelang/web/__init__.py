"""Games in the browser: seats, secrets, days. `rulelang serve` runs it; its libraries are the extra `web`.

Enters: rulesets, a database, requests. Leaves: to each seat its own observation, its options
and its log, and nothing else.

    app       routes, cookies, security headers ─── streams    server-sent events that tell a page to fetch anew
     └─ workers   processes that can be killed ─┐   seats      tokens
          └─ games    live games over the store ┴─ store      the append-only table of events, the only truth
               └─ view    what a seat may know ── table, pages     HTML of that
"""
