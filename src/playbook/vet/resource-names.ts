/** The kinds behind the words of kubectl. */

const PLURALS: Readonly<Record<string, string>> = {
  ...{ deployment: 'Deployment', deploy: 'Deployment', statefulset: 'StatefulSet', sts: 'StatefulSet' },
  ...{
    daemonset: 'DaemonSet',
    ds: 'DaemonSet',
    replicaset: 'ReplicaSet',
    rs: 'ReplicaSet',
    pod: 'Pod',
    po: 'Pod',
  },
  ...{ service: 'Service', svc: 'Service', configmap: 'ConfigMap', cm: 'ConfigMap', secret: 'Secret' },
  ...{
    namespace: 'Namespace',
    ns: 'Namespace',
    node: 'Node',
    no: 'Node',
    job: 'Job',
    cronjob: 'CronJob',
    cj: 'CronJob',
  },
  ...{ persistentvolume: 'PersistentVolume', pv: 'PersistentVolume' },
  ...{ persistentvolumeclaim: 'PersistentVolumeClaim', pvc: 'PersistentVolumeClaim' },
  ...{ customresourcedefinition: 'CustomResourceDefinition', crd: 'CustomResourceDefinition' },
  ...{ networkpolicy: 'NetworkPolicy', netpol: 'NetworkPolicy', networkpolicie: 'NetworkPolicy' },
  ...{ horizontalpodautoscaler: 'HorizontalPodAutoscaler', hpa: 'HorizontalPodAutoscaler' },
  ...{
    resourcequota: 'ResourceQuota',
    quota: 'ResourceQuota',
    limitrange: 'LimitRange',
    limit: 'LimitRange',
  },
  ...{
    poddisruptionbudget: 'PodDisruptionBudget',
    pdb: 'PodDisruptionBudget',
    ingress: 'Ingress',
    ing: 'Ingress',
  },
  ...{
    ingresse: 'Ingress',
    serviceaccount: 'ServiceAccount',
    sa: 'ServiceAccount',
    event: 'Event',
    ev: 'Event',
  },
  ...{
    role: 'Role',
    rolebinding: 'RoleBinding',
    clusterrole: 'ClusterRole',
    clusterrolebinding: 'ClusterRoleBinding',
  },
  ...{ storageclass: 'StorageClass', sc: 'StorageClass', storageclasse: 'StorageClass', all: 'Pod' },
}

/** `deploy`, `deployments`, `deployments.apps` -> `Deployment`; the word itself where it is none of ours. */
export const kindOfWord = (word: string): string => {
  const plain = word.toLowerCase().split('.')[0]!
  return PLURALS[plain] ?? PLURALS[plain.replace(/s$/, '')] ?? word
}
