"""The process that holds ClickHouse: chdb-session.py FOLDER. A statement (a JSON string) a line, an answer a line."""
import json
import sys
import time

from chdb import session

held = session.Session(sys.argv[1])
for line in sys.stdin:
    statement = json.loads(line)
    began = time.perf_counter()
    try:
        text = str(held.query(statement, 'JSONCompactEachRow'))
        took = (time.perf_counter() - began) * 1000
        rows = [json.loads(row) for row in text.splitlines() if row]
        reply = {'ms': took, 'rows': rows}
    except Exception as error:
        reply = {'error': str(error)[:2000]}
    print(json.dumps(reply), flush=True)
