/** A system of small HTTP servers, each with a readiness probe, a CPU quota and a memory limit. */
import { defineSystem, type System } from '#spec'

const PROGRAM = `require('node:http').createServer((_, answer) => answer.end('ok')).listen(8080)`

export const NAMESPACE = 'servers'
export const IMAGE = 'node:24-slim'

const toDeployment = (name: string): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        containers: [
          {
            name: 'server',
            image: IMAGE,
            command: ['node', '-e', PROGRAM],
            ports: [{ containerPort: 8080 }],
            readinessProbe: { httpGet: { path: '/', port: 8080 }, periodSeconds: 1 },
            resources: { requests: { cpu: '20m', memory: '32Mi' }, limits: { cpu: '500m', memory: '128Mi' } },
          },
        ],
      },
    },
  },
})

/** `count` Deployments of one pod each, named `server-00` and so on. */
export const defineSmallServers = (count: number): System =>
  defineSystem({
    name: 'small-servers',
    about: 'Small HTTP servers',
    namespace: NAMESPACE,
    manifests: Array.from({ length: count }, (_, index) =>
      toDeployment(`server-${String(index).padStart(2, '0')}`),
    ),
    images: [],
    entryPoints: [],
  })
