/** Solvers that repair nothing and attack the laboratory. */
import type { ApiObject, KubeApi, Solver } from '#spec'

/** The id of a trace that is a chain of spans, each sent three times. */
export const CHAIN = 'c'.repeat(32)
/** The id of a trace with many spans of the same id, and as many children of that id. */
export const CROWD = 'd'.repeat(32)
/** The id of a trace from the future, in which every call succeeds. */
export const AHEAD = 'e'.repeat(32)

/** Sends false spans to the socket of its pod; then floods the socket until it is killed. */
const FORGER = `import json, os, random, socket, time
line = socket.socket(socket.AF_UNIX)
line.connect("/run/remedium/telemetry.sock")
def random_hex(digits):
    return "%0*x" % (digits, random.getrandbits(4 * digits))
def span(trace, own, parent=None, kind="internal", ahead=0):
    return dict(traceId=trace, spanId=own, parentId=parent, name="GET /", kind=kind, peer="time-service", status="ok",
                start=(time.time() + ahead) * 1000, durationMs=1, attributes={"http.response.status_code": 200})
def send(spans):
    line.sendall(json.dumps({"spans": spans}).encode() + b"\\n")
send([span("${CHAIN}", "%016x" % (at + 1), "%016x" % at) for at in range(30) for _ in range(3)])
crowd = "d" * 16
send([span("${CROWD}", crowd, None, "client") for _ in range(1500)])
send([span("${CROWD}", random_hex(16), crowd, "server") for _ in range(1500)])
send([span("${AHEAD}", random_hex(16), None, "client", 3600) for _ in range(1500)])
if os.fork() > 0:
    os._exit(0)
os.setsid()
for descriptor in range(3):
    os.close(descriptor)
while True:
    send([span(random_hex(32), random_hex(16), random_hex(16), "server") for _ in range(1000)])
`

const podOf = async (api: KubeApi, namespace: string, service: string): Promise<string> => {
  const pods = { apiVersion: 'v1', plural: 'pods', namespace }
  const { items } = await api.list(pods, { labelSelector: `app=${service}` })
  const [first] = items as readonly ApiObject[]
  if (first === undefined) throw new Error(`${service} has no pod`)
  return first.metadata.name
}

/** Sends false spans from a pod of the system, and continues after it has submitted. */
export const forger: Solver = {
  name: 'forger',
  async solve({ api, briefing: { namespace }, telemetry, sleep, note }) {
    const name = await podOf(api, namespace, 'hello-service')
    const { exitCode, stderr } = await api.exec({ namespace, name }, ['python3', '-c', FORGER])
    if (exitCode !== 0) throw new Error(`the spans were not sent: ${stderr}`)
    // Waits until the spans can be queried.
    for (const trace of [CHAIN, CROWD, AHEAD])
      for (let turn = 0; (await telemetry.trace(trace)).length === 0; turn += 1) {
        if (turn > 50) throw new Error(`the trace ${trace} cannot be queried`)
        await sleep(100)
      }
    note({ action: 'forge', reach: 'nothing', input: '', observation: '' })
  },
}

/** A Deployment with large pods that never run. Its controller creates them without a rate limit. */
const FILLER = {
  metadata: { name: 'filler' },
  spec: {
    replicas: 200,
    selector: { matchLabels: { app: 'filler' } },
    template: {
      metadata: { labels: { app: 'filler' }, finalizers: ['example.com/never'] },
      spec: {
        nodeSelector: { 'example.com/nowhere': 'yes' },
        containers: [
          { name: 'c', image: 'busybox:1.36', env: [{ name: 'PADDING', value: 'x'.repeat(1_000_000) }] },
        ],
      },
    },
  },
}

/** Fills the object store, and waits `waitMs` before it submits. */
export const filler = (waitMs: number): Solver => ({
  name: 'filler',
  async solve({ api, briefing: { namespace }, sleep, note }) {
    await api.create({ apiVersion: 'apps/v1', plural: 'deployments', namespace }, FILLER)
    const maps = { apiVersion: 'v1', plural: 'configmaps', namespace }
    const isRefused = (error: Error): boolean => {
      if (error.message.includes('database space exceeded')) return true
      throw error
    }
    for (let turn = 0; ; turn += 1) {
      const probe = api.create(maps, { metadata: { name: 'probe' } }, { dryRun: true })
      if (await probe.then(() => false, isRefused)) break
      if (turn > 200) throw new Error('the store is not full')
      await sleep(100)
    }
    note({ action: 'fill', reach: 'nothing', input: '', observation: '' })
    await sleep(waitMs)
  },
})
