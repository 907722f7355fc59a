/** Tests that mistakes in Kubernetes settings are reported with line and path. */
import { describe, expect, it } from 'vitest'
import { parseTopology } from './parse-topology.ts'

/** Returns a topology whose service has this `deploy`, on line 8, and objects that it can refer to. */
const withDeploy = (deploy: string): string => `system: test
objects:
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {level: info}}
  - {apiVersion: v1, kind: Secret, metadata: {name: login}, stringData: {password: x}}
  - {apiVersion: v1, kind: Secret, metadata: {name: far, namespace: other}, stringData: {password: x}}
services:
  cart:
    deploy: {${deploy}}
`

const mistakesOf = (deploy: string): string => {
  try {
    parseTopology(withDeploy(deploy), 'topology.yaml')
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

describe('an invalid deployment', () => {
  it.each<[string, string]>([
    [
      'resources: {limits: {cpu: lots}}',
      'resources.limits.cpu must be a quantity of at least 0, such as 100m or 64Mi, not "lots"',
    ],
    ['resources: {limts: {cpu: 1}}', 'resources.limts is not a known field'],
    ['resources: {limits: {cpus: 1}}', 'resources.limits.cpus is not a known field'],
    [
      'resources: {limits: {memory: -5Mi}}',
      'resources.limits.memory must be a quantity of at least 0, such as 100m or 64Mi, not "-5Mi"',
    ],
    [
      'resources: {requests: {memory: 1Gi}, limits: {memory: 512Mi}}',
      'resources.requests.memory is 1Gi, which exceeds the limit of 512Mi',
    ],
    ['readinessProbe: {periodSeconds: -1}', 'readinessProbe.periodSeconds must be at least 1, not -1'],
    ['readinessProbe: {perriod: 1}', 'readinessProbe.perriod is not a known field'],
    [
      'readinessProbe: {tcpSocket: {port: 1}, exec: {command: [a]}}',
      'readinessProbe must have one of httpGet, tcpSocket, exec, grpc, but has tcpSocket and exec',
    ],
    ['livenessProbe: {periodSeconds: 1}', 'livenessProbe must have one of httpGet, tcpSocket, exec, grpc'],
    [
      'livenessProbe: {tcpSocket: {port: 1}, successThreshold: 2}',
      'livenessProbe.successThreshold must be 1 in liveness and startup probes',
    ],
    [
      'startupProbe: {httpGet: {port: 70000}}',
      'startupProbe.httpGet.port must be a port, 1 to 65535, or the name of one',
    ],
    ['startupProbe: {httpGet: {port: 80, pth: /}}', 'startupProbe.httpGet.pth is not a known field'],
    ['env: {X: {field: no.such}}', 'env.X.field must be one of metadata.name, metadata.namespace'],
    ['env: {X: {field: "metadata.labels[\'KEY"}}', 'env.X.field must be one of metadata.name'],
    [
      'env: {X: {secret: logn, key: password}}',
      'env.X.secret names "logn", which is not a Secret in "objects"; did you mean "login"?',
    ],
    [
      'env: {X: {secret: far, key: password}}',
      'env.X.secret names "far", which is not a Secret in "objects"',
    ],
    [
      'env: {X: {secret: login, key: pasword}}',
      'env.X.key is "pasword", which the Secret "login" does not have; did you mean "password"?',
    ],
    [
      'env: {X: {configMap: login, key: a}}',
      'env.X.configMap names "login", which is not a ConfigMap in "objects"',
    ],
    [
      'envFrom: [{configMap: setings}]',
      'envFrom[0].configMap names "setings", which is not a ConfigMap in "objects"; did you mean "settings"?',
    ],
    ['envFrom: [{secret: absent}]', 'envFrom[0].secret names "absent", which is not a Secret in "objects"'],
    ['volumes: [{name: a, emptyDirr: {}}]', 'volumes[0].emptyDirr is not a known field'],
    ['volumes: [{name: a}]', 'volumes[0] must have one of emptyDir, configMap, secret'],
    ['volumes: [{name: a, emptyDir: {sizeLimit: big}}]', 'volumes[0].emptyDir.sizeLimit must be a quantity'],
    [
      'volumes: [{name: a, emptyDir: {}}, {name: a, emptyDir: {}}]',
      'volumes[1].name must be unique, but "a" is used twice',
    ],
    [
      'volumes: [{name: a, configMap: {name: absent}}]',
      'volumes[0].configMap.name names "absent", which is not a ConfigMap in "objects"',
    ],
    [
      'volumes: [{name: a, secret: {secretName: login, items: [{key: pass, path: p}]}}]',
      'volumes[0].secret.items[0].key is "pass", which the Secret "login" does not have',
    ],
    [
      'volumeMounts: [{name: data, mountPath: /a}]',
      'volumeMounts[0].name names "data", which is not a volume',
    ],
    [
      'volumes: [{name: a, emptyDir: }], volumeMounts: [{name: a, mountPath: data}]',
      'volumeMounts[0].mountPath must start with /',
    ],
    [
      'volumes: [{name: a, emptyDir: }], volumeMounts: [{name: a, mountPath: /x}, {name: a, mountPath: /x}]',
      'volumeMounts[1].mountPath must be unique, but /x is used twice',
    ],
    [
      'volumeClaimTemplates: [{metadata: {name: a}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]',
      'volumeClaimTemplates needs "kind: StatefulSet"',
    ],
    [
      'kind: StatefulSet, volumeClaimTemplates: [{metadata: {name: a}, spec: {accessModes: [Often], resources: {requests: {storage: 1}}}}]',
      'volumeClaimTemplates[0].spec.accessModes[0] must be one of ReadWriteOnce',
    ],
    ['services: [{name: a, spec: {prots: []}}]', 'services[0].spec.prots is not a known field'],
    [
      'services: [{name: a, spec: {ports: [{port: 80, targetPort: 0}]}}]',
      'services[0].spec.ports[0].targetPort must be a port, 1 to 65535, or the name of one',
    ],
    [
      'services: [{name: a, spec: {ports: [{port: 80}, {port: 81, name: b}]}}]',
      'services[0].spec.ports[0].name is required, because there are several ports',
    ],
    ['sidecars: [{name: a}]', 'sidecars[0].image is missing'],
    ['sidecars: [{name: a, image: b, imge: c}]', 'sidecars[0].imge is not a known field'],
    ['sidecars: [{name: cart, image: b}]', 'sidecars[0].name must be unique, but "cart" is used twice'],
    [
      'sidecars: [{name: a, image: b, resources: {requests: {cpu: 2}, limits: {cpu: 1500m}}}]',
      'sidecars[0].resources.requests.cpu is 2, which exceeds the limit of 1500m',
    ],
    [
      'sidecars: [{name: a, image: b, env: [{name: X, valueFrom: {secretKeyRef: {name: login, key: no}}}]}]',
      'sidecars[0].env[0].valueFrom.secretKeyRef.key is "no", which the Secret "login" does not have',
    ],
    [
      'initContainers: [{name: a, image: b, volumeMounts: [{name: v, mountPath: /v}]}]',
      'initContainers[0].volumeMounts[0].name names "v", which is not a volume',
    ],
    [
      'initContainers: [{name: a, image: b, livenessProbe: {tcpSocket: {port: 1}}}]',
      'initContainers[0].livenessProbe needs "restartPolicy: Always"',
    ],
    ['securityContext: {privleged: true}', 'securityContext.privleged is not a known field'],
  ])('is reported: %s', (deploy, expected) => {
    expect(mistakesOf(deploy)).toContain(`topology.yaml:8: services.cart.deploy.${expected}`)
  })
})

describe('a valid deployment', () => {
  it.each([
    'resources: {requests: {cpu: 100m, memory: 1e6}, limits: {cpu: 0.1, memory: 1M}}',
    'readinessProbe: {periodSeconds: 2}, livenessProbe: {grpc: {port: 9090}}, startupProbe: false',
    'env: {A: 1, B: {field: "metadata.labels[\'app\']"}, C: {secret: login, key: password}}',
    'envFrom: [{configMap: settings}, {configMap: kube-root-ca.crt}]',
    'volumes: [{name: a, secret: {secretName: absent, optional: true}}, {name: b, emptyDir: }]',
    'kind: StatefulSet, volumeMounts: [{name: a, mountPath: /a}], volumeClaimTemplates: [{metadata: {name: a}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]',
  ])('is accepted: %s', (deploy) => {
    expect(mistakesOf(deploy)).toBe('')
  })
})
