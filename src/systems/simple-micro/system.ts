/** Simple-Micro: two services, one of which asks the other for the time. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Defect, defineSystem, type SystemImage } from '../../spec/index.ts'
import { readImpact } from '../../topology/index.ts'
import { parseJourneys } from '../../workload/index.ts'

const LOGS = { name: 'mysql-logs', mountPath: '/var/log/mysql' }

interface Service {
  name: string
  port: number
  /** Where the readiness probe asks. */
  health: string
}

/** Releases of the image beside the one that runs: a good older one, and those with something wrong in them. */
const RELEASES: Readonly<Record<string, 'good' | Defect['kind']>> = {
  '3.8': 'good',
  '3.9.17': 'hot-loop',
  '3.9.18': 'leak',
  '3.9.19': 'crash',
  '3.9.20': 'slow',
  '3.9.21': 'wrong-port',
  '3.9.22': 'failing-endpoint',
}
/** Where Python looks for what an image adds to it. */
const SITE_PACKAGES = '/opt/python/site-packages'

/** The program is the manifest's, whatever the release: what is wrong is in what the image brings. */
const image = ([version, quality]: [string, string]): SystemImage => ({
  name: `python:${version}-slim`,
  command: ['python3'],
  ...(quality === 'good'
    ? {}
    : {
        environment: { PYTHONPATH: SITE_PACKAGES },
        folders: { [SITE_PACKAGES]: join(import.meta.dirname, 'releases', version) },
      }),
})

/** By the tags that a manifest would name. */
const releases = Object.fromEntries(
  Object.entries(RELEASES).map(([version, quality]) => [`${version}-slim`, quality]),
)
const impact = readImpact(import.meta.dirname)

const readProgram = (name: string): string => readFileSync(join(import.meta.dirname, `${name}.py`), 'utf8')

const writeOut = (name: string): string =>
  `cat > /tmp/${name}.py <<'END_OF_PROGRAM'\n${readProgram(name)}END_OF_PROGRAM\n`

/** The program is part of the manifest: the container writes it out and runs it. */
const startScript = (name: string): string =>
  `${writeOut('telemetry')}${writeOut(name)}exec python3 /tmp/${name}.py\n`

/**
 * Here so that ping and dd can be run beside a program whose image has neither. The original's sleep ends after an hour, and a
 * restart in the middle of an episode is laid to whoever acts in it; the first process of a container heeds SIGTERM only if it says so.
 */
const sidecar = {
  name: 'sidecar-busybox',
  image: 'busybox:1.35',
  command: ['sh', '-c', 'trap "exit 0" TERM; while :; do sleep 3600 & wait $!; done'],
  securityContext: { capabilities: { add: ['NET_RAW'] } },
  resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { cpu: '50m', memory: '64Mi' } },
  volumeMounts: [LOGS],
}

const deployment = ({ name, port, health }: Service): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, labels: { app: name } },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: {
        labels: { app: name },
        annotations: { 'prometheus.io/scrape': 'true', 'prometheus.io/port': String(port) },
      },
      spec: {
        containers: [
          {
            name,
            image: 'python:3.9-slim',
            command: ['sh', '-c'],
            args: [startScript(name)],
            ports: [{ containerPort: port }],
            resources: {
              requests: { cpu: '100m', memory: '300Mi' },
              limits: { cpu: '500m', memory: '2000Mi' },
            },
            readinessProbe: { httpGet: { path: health, port }, periodSeconds: 2 },
            volumeMounts: [LOGS],
          },
          sidecar,
        ],
        volumes: [{ name: LOGS.name, emptyDir: {} }],
      },
    },
  },
})

const service = ({ name, port }: Service, nodePort?: number): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, labels: { app: name } },
  spec: {
    type: nodePort === undefined ? 'ClusterIP' : 'NodePort',
    selector: { app: name },
    ports: [{ port, targetPort: port, ...(nodePort === undefined ? {} : { nodePort }) }],
  },
})

const time: Service = { name: 'time-service', port: 5001, health: '/time' }
const hello: Service = { name: 'hello-service', port: 5000, health: '/healthz' }
const NODE_PORT = 30080
const JOURNEYS = join(import.meta.dirname, 'journeys.yaml')

export const system = defineSystem({
  name: 'simple-micro',
  about: 'Two Python services: hello-service greets with the time that time-service tells',
  namespace: 'simple-micro',
  manifests: [deployment(time), service(time), deployment(hello), service(hello, NODE_PORT)],
  images: Object.entries(RELEASES).map(image),
  entryPoints: [
    { name: 'hello', namespace: 'simple-micro', service: hello.name, port: hello.port, path: '/hello' },
  ],
  workload: parseJourneys(readFileSync(JOURNEYS, 'utf8'), JOURNEYS),
  edges: [{ from: hello.name, to: time.name }],
  releases: { [time.name]: releases, [hello.name]: releases },
  ...(impact === undefined ? {} : { impact }),
})
