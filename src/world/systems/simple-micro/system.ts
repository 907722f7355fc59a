/** Simple-Micro: two Python services, one of which requests the time from the other. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defined } from '#kit'
import { type Defect, defineSystem, type SystemImage } from '#spec'
import { drawTags, readImpact } from '#world/topology'
import { parseJourneys } from '#world/workload'
import { createPython } from './simulated/create-python.ts'

const LOGS = { name: 'mysql-logs', mountPath: '/var/log/mysql' }

interface Service {
  name: string
  port: number
  /** The path of the readiness probe. */
  health: string
}

type Quality = 'good' | Defect['kind']

const DEPLOYED_TAG = '3.9-slim'
/** Releases of the image other than the deployed one, by tag: a good older one, and bad ones. */
const RELEASES: Readonly<Record<string, Quality>> = {
  '3.8-slim': 'good',
  '3.9.17-slim': 'hot-loop',
  '3.9.18-slim': 'leak',
  '3.9.19-slim': 'crash',
  '3.9.20-slim': 'slow',
  '3.9.21-slim': 'wrong-port',
  '3.9.22-slim': 'failing-endpoint',
}
/** The folder of an image's Python modules. */
const SITE_PACKAGES = '/opt/python/site-packages'

const MODULE = 'sitecustomize.py'

/** Returns `3.9.17` for the tag `3.9.17-slim`. */
const versionOf = (tag: string): string => tag.replace(/-.*/, '')

/**
 * The manifest contains the program, so the defect of a release is in a module of the image. All releases
 * have the module.
 */
const toImage = ([tag, quality]: [string, string]): SystemImage => ({
  name: `python:${tag}`,
  command: ['python3'],
  environment: { PYTHONPATH: SITE_PACKAGES },
  files: {
    [`${SITE_PACKAGES}/${MODULE}`]: () =>
      readFileSync(join(import.meta.dirname, 'releases', quality, MODULE)),
  },
  simulated: { programs: { '/usr/local/bin/python3': createPython(versionOf(tag), quality) } },
})

const toImages = (releases: Readonly<Record<string, Quality>>): SystemImage[] =>
  Object.entries({ ...releases, [DEPLOYED_TAG]: 'good' }).map(toImage)

/** Both services run the same image. */
const toReleasesByService = (releases: Readonly<Record<string, Quality>>) => ({
  [time.name]: releases,
  [hello.name]: releases,
})

const impact = readImpact(import.meta.dirname)

const readProgram = (name: string): string => readFileSync(join(import.meta.dirname, `${name}.py`), 'utf8')

const toHereDocument = (name: string): string =>
  `cat > /tmp/${name}.py <<'END_OF_PROGRAM'\n${readProgram(name)}END_OF_PROGRAM\n`

/** The manifest contains the program: the container writes it to a file and runs it. */
const startScript = (name: string): string =>
  `${toHereDocument('telemetry')}${toHereDocument(name)}exec python3 /tmp/${name}.py\n`

/**
 * Provides ping and dd, which the image of the program lacks. The original sleeps only once, for an hour; the
 * restart that follows would be attributed to the agent of the current episode. The trap is needed because
 * the first process of a container ignores SIGTERM unless it handles it.
 */
const sidecar = {
  name: 'sidecar-busybox',
  image: 'busybox:1.35',
  command: ['sh', '-c', 'trap "exit 0" TERM; while :; do sleep 3600 & wait $!; done'],
  securityContext: { capabilities: { add: ['NET_RAW'] } },
  resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { cpu: '50m', memory: '64Mi' } },
  volumeMounts: [LOGS],
}

const toDeployment = ({ name, port, health }: Service): object => ({
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
            image: `python:${DEPLOYED_TAG}`,
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

const toService = ({ name, port }: Service, nodePort?: number): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, labels: { app: name } },
  spec: {
    type: nodePort === undefined ? 'ClusterIP' : 'NodePort',
    selector: { app: name },
    ports: [{ port, targetPort: port, ...defined({ nodePort }) }],
  },
})

const time: Service = { name: 'time-service', port: 5001, health: '/time' }
const hello: Service = { name: 'hello-service', port: 5000, health: '/healthz' }
const NODE_PORT = 30080
const JOURNEYS = join(import.meta.dirname, 'journeys.yaml')

export const system = defineSystem({
  name: 'simple-micro',
  about: 'Two Python services: hello-service returns a greeting with the time from time-service',
  namespace: 'simple-micro',
  manifests: [toDeployment(time), toService(time), toDeployment(hello), toService(hello, NODE_PORT)],
  images: toImages(RELEASES),
  entryPoints: [
    { name: 'hello', namespace: 'simple-micro', service: hello.name, port: hello.port, path: '/hello' },
  ],
  workload: parseJourneys(readFileSync(JOURNEYS, 'utf8'), JOURNEYS),
  edges: [{ from: hello.name, to: time.name }],
  releases: toReleasesByService(RELEASES),
  drawReleases(secret) {
    const drawn = drawTags(RELEASES, (quality) => quality === 'good', secret)
    return { images: toImages(drawn), releases: toReleasesByService(drawn) }
  },
  ...defined({ impact }),
})
