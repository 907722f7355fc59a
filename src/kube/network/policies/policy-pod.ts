/** Pods as NetworkPolicies see them. */
import type { ContainerPort } from 'kubernetes-types/core/v1.d.ts'
import { namespaces, pods } from '../../kinds/index.ts'
import type { Labels } from '../../meta/index.ts'
import type { Client } from '../../ports/index.ts'
import { DNS_ADDRESS } from '../addresses.ts'
import type { AttachedPod } from '../pods/pod-attachments.ts'

export interface PolicyPod {
  readonly ip: string
  readonly namespace: string
  readonly namespaceLabels: Labels
  readonly labels: Labels
  readonly ports: readonly ContainerPort[]
}

const DNS_NAMESPACE = 'kube-system'

/** The cluster's DNS is no pod here, but policies let their pods reach it under the labels that it always has. */
const dnsPod = (client: Client): PolicyPod => ({
  ip: DNS_ADDRESS,
  namespace: DNS_NAMESPACE,
  namespaceLabels: client.get(namespaces, '', DNS_NAMESPACE)?.metadata.labels,
  labels: { 'k8s-app': 'kube-dns' },
  ports: [
    { name: 'dns', containerPort: 53, protocol: 'UDP' },
    { name: 'dns-tcp', containerPort: 53, protocol: 'TCP' },
  ],
})

/** Those with an address of their own. */
export const policyPods = (client: Client, attached: readonly AttachedPod[]): PolicyPod[] =>
  attached
    .filter(({ hostNetwork }) => !hostNetwork)
    .flatMap(({ uid, namespace, name, ip }) => {
      const pod = client.get(pods, namespace, name)
      if (pod === undefined || pod.metadata.uid !== uid) return []
      return [
        {
          ip,
          namespace,
          namespaceLabels: client.get(namespaces, '', namespace)?.metadata.labels,
          labels: pod.metadata.labels,
          ports: [...(pod.spec.initContainers ?? []), ...pod.spec.containers].flatMap(
            ({ ports = [] }) => ports,
          ),
        },
      ]
    })

/** Everybody whom a peer of a policy may mean. */
export const peerPods = (client: Client, own: readonly PolicyPod[]): PolicyPod[] => [...own, dnsPod(client)]
