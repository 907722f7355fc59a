/** A small system that is ready quickly: a server, a StatefulSet with a claim, and a single pod. */
import { defineSystem } from '#spec'

/** Responds, once the client has finished sending, with the number of received bytes and as many bytes as requested. */
const SERVER = `
require('node:net').createServer({ allowHalfOpen: true }, (socket) => {
  let count = 0
  let first
  socket.on('error', () => {})
  socket.on('data', (chunk) => { first ??= Number(chunk.toString('utf8', 0, 10)); count += chunk.length })
  socket.on('end', () => { socket.write(count + '\\n'); socket.end(Buffer.alloc(first ?? 0, 'x')) })
}).listen(7000)
`

const createWorkload = (kind: string, name: string, podSpec: object, extraSpec: object = {}): object => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { terminationGracePeriodSeconds: 0, ...podSpec },
    },
    ...extraSpec,
  },
})

const sleeper = { name: 'c', image: 'busybox:1.36', command: ['sleep', '100000'] }

/** The Job template of the CronJob. */
export const SWEEP = {
  template: {
    spec: { restartPolicy: 'Never', containers: [{ ...sleeper, command: ['true'] }] },
  },
}

export const smallSystem = defineSystem({
  name: 'small',
  about: 'A server, a StatefulSet with data and a single pod',
  namespace: 'small',
  images: [{ name: 'small/server:1', entrypoint: ['/opt/remedium/bin/node', '-e', SERVER] }],
  manifests: [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { colour: 'green' } },
    createWorkload('Deployment', 'server', {
      containers: [
        {
          name: 'c',
          image: 'small/server:1',
          readinessProbe: { tcpSocket: { port: 7000 }, periodSeconds: 1 },
        },
      ],
    }),
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'server' },
      spec: { selector: { app: 'server' }, ports: [{ port: 7000 }] },
    },
    createWorkload('Deployment', 'idle', { containers: [sleeper] }, { replicas: 2 }),
    createWorkload(
      'StatefulSet',
      'keeper',
      {
        containers: [
          {
            ...sleeper,
            command: ['sh', '-c', 'test -e /data/first || echo first > /data/first; exec sleep 100000'],
            readinessProbe: { exec: { command: ['cat', '/data/first'] }, periodSeconds: 1 },
            volumeMounts: [{ name: 'data', mountPath: '/data' }],
          },
        ],
      },
      {
        serviceName: 'keeper',
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
          },
        ],
      },
    ),
    {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name: 'sweeper' },
      spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: SWEEP } },
    },
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'loner' }, spec: { containers: [sleeper] } },
  ],
  entryPoints: [{ name: 'server', namespace: 'small', service: 'server', port: 7000 }],
})
