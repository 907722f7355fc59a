/** The data of a pod that NetworkPolicies evaluate. */
import type { ContainerPort } from 'kubernetes-types/core/v1.d.ts'
import { namespaces, pods } from '#platform/kube/kinds'
import type { Labels } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import { DNS_ADDRESS } from '../addresses.ts'

export interface PolicyPod {
  readonly ip: string
  readonly namespace: string
  readonly namespaceLabels: Labels
  readonly labels: Labels
  readonly ports: readonly ContainerPort[]
}

/** The properties of a pod that policies use. */
export interface AttachedPodIdentity {
  readonly uid: string
  readonly namespace: string
  readonly name: string
  readonly ip: string
  readonly hostNetwork: boolean
}

const DNS_NAMESPACE = 'kube-system'

/** The DNS server is not a pod here, but policies refer to it by the usual labels of its pods. */
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

/** Returns the pods that policies can select: those without hostNetwork. */
export const policyPods = (client: Client, attached: readonly AttachedPodIdentity[]): PolicyPod[] =>
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

/** Returns the pods that the peers of a policy can select, including the DNS server. */
export const peerPods = (client: Client, pods: readonly PolicyPod[]): PolicyPod[] => [...pods, dnsPod(client)]
