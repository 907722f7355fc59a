/** Tests which commands of probes are recognised as a request that can fail. */
import { expect, it } from 'vitest'
import { toNetworkCheck } from './command-checks.ts'

const http = (port: number, path: string) => ({ httpGet: { path, port } })
const tcp = (port: number) => ({ tcpSocket: { port } })
const python = (script: string): string[] => ['python3', '-c', script]
const sh = (script: string): string[] => ['/bin/sh', '-c', script]
const URL = 'http://127.0.0.1:5001/time'

it.each<[string[], object | undefined]>([
  [python(`import urllib.request as u; u.urlopen("${URL}", timeout=2)`), http(5001, '/time')],
  [python(`from urllib.request import urlopen\nurlopen('${URL}').read()`), http(5001, '/time')],
  [
    python(
      `import urllib.request, sys; sys.exit(0 if urllib.request.urlopen("${URL}").status == 200 else 1)`,
    ),
    http(5001, '/time'),
  ],
  [python(`import requests; requests.get("${URL}", timeout=1).raise_for_status()`), http(5001, '/time')],
  [python(`import requests; requests.get("${URL}")`), tcp(5001)],
  [python('import socket; socket.create_connection(("localhost", 5001), 2)'), tcp(5001)],
  [['curl', '-fsS', '-o', '/dev/null', '-m', '2', URL], http(5001, '/time')],
  [['/usr/bin/curl', '--silent', '--fail', '--max-time=2', 'localhost:5001/time'], http(5001, '/time')],
  [['curl', '-s', URL], tcp(5001)],
  [['wget', '-q', '-O', '-', URL], http(5001, '/time')],
  [['wget', '-qO-', '--timeout=2', 'http://localhost/'], http(80, '/')],
  [['wget', '--spider', '-q', '-T', '2', URL], http(5001, '/time')],
  [['nc', '-z', '-w', '2', '127.0.0.1', '5001'], tcp(5001)],
  [sh(`curl -sf ${URL} > /dev/null 2>&1 || exit 1`), http(5001, '/time')],
  [sh(`exec wget -q -O /dev/null '${URL}'`), http(5001, '/time')],
  [sh(`python3 -c "import urllib.request; urllib.request.urlopen(\\"${URL}\\")"`), http(5001, '/time')],

  [['true'], undefined],
  [['curl', '-sf', 'http://hello-service:5000/'], undefined],
  [['curl', '-sf', '--retry', '3', URL], undefined],
  [['curl', '--version', URL], undefined],
  [['wget', '--help', URL], undefined],
  [['wget', '-q', URL, 'http://example.com/'], undefined],
  [['/tmp/curl', '-sf', URL], undefined],
  [['nc', '127.0.0.1', '5001'], undefined],
  [['python3', 'check.py'], undefined],
  [sh(`curl -sf ${URL} || true`), undefined],
  [sh(`curl -sf ${URL} || exit 0`), undefined],
  [sh(`curl -sf ${URL}; true`), undefined],
  [sh(`curl -sf ${URL}\ntrue`), undefined],
  [sh(`curl -sf ${URL} | cat`), undefined],
  [sh(`curl -sf ${URL} &`), undefined],
  [sh(`! curl -sf ${URL}`), undefined],
  [sh('curl -sf $ADDRESS'), undefined],
  [sh(`true # curl -sf ${URL}`), undefined],
  [python(`import urllib.request as u\ntry:\n u.urlopen("${URL}")\nexcept Exception: pass`), undefined],
  [python(`from builtins import print as urlopen; urlopen("${URL}")`), undefined],
  [python('pass'), undefined],
  [python(`import os; os.system("curl ${URL}")`), undefined],
])('%j requests %j', (command, check) => {
  expect(toNetworkCheck(command)).toEqual(check)
})
