/** The one list of what differs on purpose from a real Kubernetes 1.32, each with its reason. */

export interface KnownDifference {
  /** Where it shows, as the comparisons of fixtures.test.ts name it; `*` stands for anything. */
  readonly where: string
  readonly reason: string
  /** It is a matter of milliseconds, and does not show every time. */
  readonly atTimes?: true
}

const UNUSED_GROUP = 'Nothing in the laboratory uses the kinds of this group, so it is not served.'
const METRICS =
  'The recorded cluster had no metrics server; ours measures pods itself and serves metrics.k8s.io.'
const STORAGE = 'The recorded cluster had no default StorageClass; ours has one, so that claims are bound.'
const NODE_INFO =
  'The node and its runtime are our own; versions and identities of the recorded machine mean nothing here.'
const NODE_OWNERS =
  'Our kubelet registers a node with its address range and then writes the status; a real one sends both at once, and a controller gives the range.'
const NO_DNS = 'The recorded kubelet had no cluster DNS and complained about it; ours has one.'
const NO_PROXY =
  'Pods, services and nodes are reached by port-forward; HTTP through the API server is not offered.'
const CYCLE =
  'Which attempt of a container is seen, and whether a probe meets its end, is a matter of milliseconds.'
const AT_ONCE =
  'Our kubelet reports every start of a container at once; a real one looks once a second and misses those that end sooner. So a container that dies at once and has no readiness probe was ready for a moment.'
const REVISION =
  'Our Deployment controller writes the revision with the object; a real one does so with the status.'
const SLICE_WRITES = 'How often a slice is written while pods come and go depends on their pace.'
const ONE_FORM =
  "The owners of an autoscaler's fields are kept in terms of autoscaling/v2, whatever version was written."

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    where: 'discovery /api serverAddressByClientCIDRs.*',
    reason: 'The server listens on a port of its own.',
  },
  {
    where: 'discovery /version git*',
    reason: "The server says that it is Remedium's and not a release of Kubernetes.",
  },
  {
    where: 'discovery /* groups.apiregistration.k8s.io',
    reason: 'There is one API server: none can be put behind it.',
  },
  {
    where: 'discovery /* items.apiregistration.k8s.io',
    reason: 'There is one API server: none can be put behind it.',
  },
  { where: 'discovery /* groups.certificates.k8s.io', reason: UNUSED_GROUP },
  { where: 'discovery /* items.certificates.k8s.io', reason: UNUSED_GROUP },
  { where: 'discovery /* groups.admissionregistration.k8s.io', reason: UNUSED_GROUP },
  { where: 'discovery /* items.admissionregistration.k8s.io', reason: UNUSED_GROUP },
  { where: 'discovery /* groups.node.k8s.io', reason: UNUSED_GROUP },
  { where: 'discovery /* items.node.k8s.io', reason: UNUSED_GROUP },
  { where: 'discovery /* groups.flowcontrol.apiserver.k8s.io', reason: UNUSED_GROUP },
  { where: 'discovery /* items.flowcontrol.apiserver.k8s.io', reason: UNUSED_GROUP },
  { where: 'discovery /* groups.metrics.k8s.io', reason: METRICS },
  { where: 'discovery /* items.metrics.k8s.io', reason: METRICS },
  {
    where: 'discovery /* items.storage.k8s.io.versions.v1.resources.csi*',
    reason: 'Volumes are folders on the node; there are no storage drivers.',
  },
  {
    where: 'discovery /* items.storage.k8s.io.versions.v1.resources.volumeattachments',
    reason: 'Volumes are folders on the node; nothing is attached.',
  },
  { where: 'discovery / paths.*', reason: 'The paths are those of what is served here.' },
  {
    where: 'discovery /api* *resources.bindings',
    reason: 'Pods are bound through their own subresource; the older way is not offered.',
  },
  {
    where: 'discovery /api* *resources.componentstatuses',
    reason: 'Deprecated, and there are no components apart from the server.',
  },
  { where: 'discovery /api* *proxy', reason: NO_PROXY },
  { where: 'object clusterroles/* rules.*metrics.k8s.io*', reason: METRICS },
  {
    where: 'object configmaps/* metadata.annotations.kubernetes.io/description',
    reason: 'What explains an object to people is in our own words.',
  },
  {
    where: 'object services/kubernetes spec.ports[0].targetPort',
    reason: 'The server listens on a port of its own.',
  },
  { where: 'object nodes/node1 status.nodeInfo.*', reason: NODE_INFO },
  { where: 'object nodes/node1 status.images*', reason: NODE_INFO },
  { where: 'object persistentvolumeclaims/pvc *', reason: STORAGE },
  { where: 'object horizontalpodautoscalers/web status.*', reason: METRICS },
  { where: 'object endpointslices/* metadata.generation', reason: SLICE_WRITES },
  { where: 'object endpointslices/* metadata.annotations', reason: SLICE_WRITES },
  { where: 'object deployments/stuck status.conditions*', reason: AT_ONCE },
  { where: 'managed deployments/* kube-controller-manager Update*', reason: REVISION },
  {
    where: 'managed deployments/web *.f:replicas',
    reason: 'The recorded Deployment had been scaled before, which took the field from its first owner.',
  },
  { where: 'managed endpointslices/* *.f:annotations', reason: SLICE_WRITES },
  { where: 'managed horizontalpodautoscalers/web kubectl-autoscale *', reason: ONE_FORM },
  { where: 'managed horizontalpodautoscalers/web kube-controller-manager *', reason: METRICS },
  { where: 'managed nodes/node1 *', reason: NODE_OWNERS },
  { where: 'managed persistentvolumeclaims/pvc kube-controller-manager *', reason: STORAGE },
  { where: 'table horizontalpodautoscalers/web Targets', reason: METRICS },
  { where: 'table nodes/node1 Kernel-Version', reason: NODE_INFO },
  { where: 'table nodes/node1 Container-Runtime', reason: NODE_INFO },
  { where: 'table persistentvolumeclaims/pvc *', reason: STORAGE },
  { where: 'event * PersistentVolumeClaim/pvc *', reason: STORAGE },
  { where: 'event * HorizontalPodAutoscaler/web *', reason: METRICS },
  {
    where: 'event Normal Starting Node/node1 kube-proxy: *',
    reason: 'Services need no proxy of their own on each node.',
  },
  { where: 'event Warning CgroupV1 *', reason: NODE_INFO },
  { where: 'event Warning MissingClusterDNS *', reason: NO_DNS },
  { where: 'event Warning * Pod/notready *', reason: CYCLE },
  { where: 'describe deploy stuck: Progressing *', reason: AT_ONCE },
  { where: 'describe node node1: * ID: *', reason: NODE_INFO },
  { where: 'describe node node1: System UUID: *', reason: NODE_INFO },
  { where: 'describe node node1: * Version: *', reason: NODE_INFO },
  {
    where: 'describe node node1: Normal Starting AGE kube-proxy',
    reason: 'Services need no proxy of their own on each node.',
  },
  { where: 'describe node node1: Warning CgroupV1 *', reason: NODE_INFO },
  { where: 'describe * Warning MissingClusterDNS *', reason: NO_DNS },
  { where: 'describe pod notready: Warning *', reason: CYCLE },
]

const OUR_ADDRESSES = 'The nodes have addresses of their own, apart from those of pods.'
const NO_REGISTRY = 'No registry is asked: an image that the catalogue has not is one that no registry has.'

const ALL_EVENTS = 'A real kubelet drops events of a pod of which it has told many; ours tells of all.'

/** The same for pods that are real, as failure-states.test.ts names them. */
export const REAL_POD_DIFFERENCES: readonly KnownDifference[] = [
  { where: 'real pods/* status.hostIP*', reason: OUR_ADDRESSES },
  { where: 'real pods/badimage status.*.message', reason: NO_REGISTRY },
  { where: 'real event Warning Failed Pod/badimage kubelet: Failed to pull image *', reason: NO_REGISTRY },
  { where: 'real event Warning MissingClusterDNS *', reason: NO_DNS },
  { where: 'real event Warning BackOff Pod/notready *', reason: ALL_EVENTS },
  {
    where: 'real event Warning Unhealthy Pod/notready kubelet: Readiness probe errored*',
    reason: CYCLE,
    atTimes: true,
  },
  { where: 'real deployments/stuck status.conditions*', reason: AT_ONCE, atTimes: true },
]
