/** A system of fifty small HTTP servers, each with a readiness probe, a CPU quota and a memory limit. */
import { defineSystem } from '../../src/spec/index.ts'

const PROGRAM = `require('node:http').createServer((_, answer) => answer.end('ok')).listen(8080)`
const COUNT = 50

const server = (name: string): object => ({
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
            image: 'node:24-slim',
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

export const fiftyPods = defineSystem({
  name: 'fifty-pods',
  about: 'Fifty small HTTP servers',
  namespace: 'fifty',
  manifests: Array.from({ length: COUNT }, (_, index) => server(`server-${String(index).padStart(2, '0')}`)),
  images: [],
  entryPoints: [],
})
