/** Solvers that repair nothing and attack the laboratory. */
import type { ApiObject, KubeApi, Solver } from '#spec'

/** The ID of a trace that is a chain of spans, each sent three times. */
const CHAIN_TRACE = 'c'.repeat(32)
/** The ID of a trace in which many spans have the same ID, and as many spans have that ID as their parent. */
const CROWD_TRACE = 'd'.repeat(32)
/** The ID of a trace from the future, in which every call succeeds. */
const FUTURE_TRACE = 'e'.repeat(32)

/** A Python program that sends false spans to the telemetry socket of its pod, and then floods the socket. */
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
send([span("${CHAIN_TRACE}", "%016x" % (at + 1), "%016x" % at) for at in range(30) for _ in range(3)])
crowd = "d" * 16
send([span("${CROWD_TRACE}", crowd, None, "client") for _ in range(1500)])
send([span("${CROWD_TRACE}", random_hex(16), crowd, "server") for _ in range(1500)])
send([span("${FUTURE_TRACE}", random_hex(16), None, "client", 3600) for _ in range(1500)])
if os.fork() > 0:
    os._exit(0)
os.setsid()
for descriptor in range(3):
    os.close(descriptor)
while True:
    send([span(random_hex(32), random_hex(16), random_hex(16), "server") for _ in range(1000)])
`

const findPod = async (api: KubeApi, namespace: string, service: string): Promise<string> => {
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
    const name = await findPod(api, namespace, 'hello-service')
    const { exitCode, stderr } = await api.exec({ namespace, name }, ['python3', '-c', FORGER])
    if (exitCode !== 0) throw new Error(`the spans were not sent: ${stderr}`)
    for (const trace of [CHAIN_TRACE, CROWD_TRACE, FUTURE_TRACE])
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

/** Returns a solver that fills the object store, and waits `waitMs` before it submits. */
export const filler = (waitMs: number): Solver => ({
  name: 'filler',
  async solve({ api, briefing: { namespace }, sleep, note }) {
    await api.create({ apiVersion: 'apps/v1', plural: 'deployments', namespace }, FILLER)
    const configMaps = { apiVersion: 'v1', plural: 'configmaps', namespace }
    const isRefused = (error: Error): boolean => {
      if (error.message.includes('database space exceeded')) return true
      throw error
    }
    for (let turn = 0; ; turn += 1) {
      const probe = api.create(configMaps, { metadata: { name: 'probe' } }, { dryRun: true })
      if (await probe.then(() => false, isRefused)) break
      if (turn > 200) throw new Error('the store is not full')
      await sleep(100)
    }
    note({ action: 'fill', reach: 'nothing', input: '', observation: '' })
    await sleep(waitMs)
  },
})
