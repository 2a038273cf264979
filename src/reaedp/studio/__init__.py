"""The whole journey in a browser, for custodians who do not program; a skin over the rooms below, with no memory.

gate.py        who may ask: Host, one-time token, cookie, origin; the headers of every answer
app.py         the application: one route for pages, one for acts, each of which carries a CSRF token
server.py      loopback, or TLS and a password; nothing is logged
visit.py       one request: query, form, project; pages and redirections as answers
form.py        what a form sent, as texts, numbers and lists
workspace.py   the folder and the projects in it; a project is found in a list, never by a path
project.py     contract, plan, data, ledger and releases of a project, as plain files
contract_file.py  a contract while it is filled in: read as it stands, written by the writer of `reaedp init`,
               or by tomlkit where somebody else wrote it
header.py      names of columns, and nothing else of the data
bar.py         what is spent, what the plan would spend, what is left
spending.py    a form that spends is for one state of contract, plan and ledger
work.py        what takes longer than an answer, in a thread that pages look at; workplace.py is where a step does it
releasing.py   a release as work with stages; unfinished.py says what a stop after the charge left behind
ledger_view.py  entries in words; audit_picture.py draws guesses beside what is allowed, error_chart.py errors against ε
step.py        a step of the journey, and its state in the rail
journey.py     all steps in their order: to add one, name it there
pages/         a module for each step
templates/     pages; no inline scripts or styles, which the content policy forbids
static/        the style and the script

What a page shows before a release follows from the contract, the plan, the ledger and the header alone (PROOFS.md).
"""
