/** The list of intended differences from a real Kubernetes 1.32, each with its reason. */

export interface KnownDifference {
  /** Where it occurs, as fixtures.test.ts names it; `*` matches anything. */
  readonly where: string
  readonly reason: string
  /** Depends on timing, and does not occur in every run. */
  readonly isIntermittent?: true
}

const UNUSED_GROUP = 'Nothing in the laboratory uses the kinds of this group, so it is not served.'
const METRICS =
  'The recorded cluster had no metrics server; the embedded cluster measures pods and serves metrics.k8s.io.'
const STORAGE =
  'The recorded cluster had no default StorageClass; the embedded cluster has one, so that claims are bound.'
const NODE_INFO =
  'The node and its runtime are different; versions and identities of the recorded machine do not apply.'
const NODE_OWNERS =
  'The embedded kubelet registers a node with its address range and then writes the status; a real one sends both at once, and a controller assigns the range.'
const NO_DNS = 'The recorded kubelet had no cluster DNS and warned about it; the embedded cluster has one.'
const NO_PROXY = 'HTTP through the API server is not supported; use port-forward.'
const RESTART_TIMING =
  'Which attempt of a container is observed, and whether a probe runs while the container exits, depends on a few milliseconds.'
const SHORT_RUNS =
  'The embedded kubelet reports every start of a container at once; a real one polls once a second and misses shorter runs. A container that exits at once and has no readiness probe is therefore ready for a moment.'
const REVISION =
  'The embedded Deployment controller writes the revision with the object; a real one writes it with the status.'
const SLICE_WRITES = 'The number of writes of a slice depends on the timing of pod starts and stops.'
const AUTOSCALER_VERSION =
  'Field owners of an autoscaler are stored for autoscaling/v2, whichever version was written.'

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    where: 'discovery /api serverAddressByClientCIDRs.*',
    reason: 'The server listens on another port.',
  },
  {
    where: 'discovery /version git*',
    reason: 'The server reports a version of Remedium, not a release of Kubernetes.',
  },
  {
    where: 'discovery /* groups.apiregistration.k8s.io',
    reason: 'Aggregated API servers are not supported.',
  },
  {
    where: 'discovery /* items.apiregistration.k8s.io',
    reason: 'Aggregated API servers are not supported.',
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
    reason: 'Volumes are folders on the node; there is nothing to attach.',
  },
  { where: 'discovery / paths.*', reason: 'The list contains only the paths that are served.' },
  {
    where: 'discovery /api* *resources.bindings',
    reason: 'Pods are bound through their subresource; the older collection is not supported.',
  },
  {
    where: 'discovery /api* *resources.componentstatuses',
    reason: 'Deprecated; the server has no separate components.',
  },
  { where: 'discovery /api* *proxy', reason: NO_PROXY },
  { where: 'object clusterroles/* rules.*metrics.k8s.io*', reason: METRICS },
  {
    where: 'object services/kubernetes spec.ports[0].targetPort',
    reason: 'The server listens on another port.',
  },
  { where: 'object nodes/node1 status.nodeInfo.*', reason: NODE_INFO },
  { where: 'object nodes/node1 status.images*', reason: NODE_INFO },
  { where: 'object persistentvolumeclaims/pvc *', reason: STORAGE },
  { where: 'object horizontalpodautoscalers/web status.*', reason: METRICS },
  { where: 'object endpointslices/* metadata.generation', reason: SLICE_WRITES },
  { where: 'object endpointslices/* metadata.annotations', reason: SLICE_WRITES },
  { where: 'object deployments/stuck status.conditions*', reason: SHORT_RUNS },
  { where: 'managed deployments/* kube-controller-manager Update*', reason: REVISION },
  {
    where: 'managed deployments/web *.f:replicas',
    reason: 'The recorded Deployment had been scaled before, which removed the first owner of the field.',
  },
  { where: 'managed endpointslices/* *.f:annotations', reason: SLICE_WRITES },
  { where: 'managed horizontalpodautoscalers/web kubectl-autoscale *', reason: AUTOSCALER_VERSION },
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
    reason: 'Services need no proxy on the nodes.',
  },
  { where: 'event Warning CgroupV1 *', reason: NODE_INFO },
  { where: 'event Warning MissingClusterDNS *', reason: NO_DNS },
  { where: 'event Warning * Pod/notready *', reason: RESTART_TIMING },
  { where: 'describe deploy stuck: Progressing *', reason: SHORT_RUNS },
  { where: 'describe node node1: * ID: *', reason: NODE_INFO },
  { where: 'describe node node1: System UUID: *', reason: NODE_INFO },
  { where: 'describe node node1: * Version: *', reason: NODE_INFO },
  {
    where: 'describe node node1: Normal Starting AGE kube-proxy',
    reason: 'Services need no proxy on the nodes.',
  },
  { where: 'describe node node1: Warning CgroupV1 *', reason: NODE_INFO },
  { where: 'describe * Warning MissingClusterDNS *', reason: NO_DNS },
  { where: 'describe pod notready: Warning *', reason: RESTART_TIMING },
]

const NODE_ADDRESSES = 'The nodes have separate addresses.'
const NO_REGISTRY = 'No registry is used: an image that is missing from the catalogue does not exist.'

const ALL_EVENTS = 'A real kubelet drops events of a pod that has many; the embedded kubelet reports all.'

/** The differences of real pods, as failure-states.test.ts names them. */
export const REAL_POD_DIFFERENCES: readonly KnownDifference[] = [
  { where: 'real pods/* status.hostIP*', reason: NODE_ADDRESSES },
  { where: 'real pods/badimage status.*.message', reason: NO_REGISTRY },
  { where: 'real event Warning Failed Pod/badimage kubelet: Failed to pull image *', reason: NO_REGISTRY },
  { where: 'real event Warning MissingClusterDNS *', reason: NO_DNS },
  { where: 'real event Warning BackOff Pod/notready *', reason: ALL_EVENTS },
  {
    where: 'real event Warning Unhealthy Pod/notready kubelet: Readiness probe errored*',
    reason: RESTART_TIMING,
    isIntermittent: true,
  },
  { where: 'real deployments/stuck status.conditions*', reason: SHORT_RUNS, isIntermittent: true },
]
