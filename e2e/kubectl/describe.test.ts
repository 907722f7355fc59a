/** Tests kubectl describe for every kind that it supports. */
import { beforeAll, describe, expect, it } from 'vitest'
import { joinManifests, webConfig, webDeployment, webService } from '../testing/manifests.ts'
import type { Shell } from '../testing/shell.ts'
import { minorOf, thoroughKubectls, useTestCluster } from '../testing/use-test-cluster.ts'

const lab = useTestCluster()

const TEMPLATE =
  'template: {metadata: {labels: {app: x}}, spec: {containers: [{name: c, image: "nginx:1.27"}]}}'

/** One object of each kind, except the objects that are created by commands below. */
const OBJECTS = joinManifests(
  webDeployment({ colour: 'red' }),
  webService,
  webConfig('one'),
  `apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: sts}\nspec:\n  serviceName: x\n  selector: {matchLabels: {app: x}}\n  ${TEMPLATE}\n`,
  `apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: ds}\nspec:\n  selector: {matchLabels: {app: x}}\n  ${TEMPLATE}\n`,
  `apiVersion: v1\nkind: ReplicationController\nmetadata: {name: rc}\nspec:\n  replicas: 1\n  selector: {app: x, by: rc}\n  ${TEMPLATE.replace('app: x', 'app: x, by: rc')}\n`,
  'apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: cron}\nspec:\n  schedule: "*/5 * * * *"\n  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: busybox}]}}}}\n',
  'apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: pdb}\nspec:\n  minAvailable: 1\n  selector: {matchLabels: {app: web}}\n',
  'apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: np}\nspec:\n  podSelector: {matchLabels: {app: web}}\n  ingress: [{from: [{podSelector: {matchLabels: {app: x}}}], ports: [{port: 80}]}]\n',
  'apiVersion: v1\nkind: LimitRange\nmetadata: {name: limits}\nspec:\n  limits: [{type: Container, max: {cpu: "4"}, default: {cpu: 500m}, defaultRequest: {cpu: 100m}}]\n',
  'apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: claim}\nspec:\n  accessModes: [ReadWriteOnce]\n  resources: {requests: {storage: 1Gi}}\n',
)

/** The object, the expected output, and the first minor version of kubectl that can describe it. */
const DESCRIPTIONS: [object: string, output: RegExp, since?: number][] = [
  [
    'pod -l app=web',
    /Name: +web-[\s\S]*Controlled By: +ReplicaSet\/web-[\s\S]*COLOUR: +red[\s\S]*Conditions:[\s\S]*Ready +True[\s\S]*QoS Class: +BestEffort[\s\S]*Scheduled[\s\S]*Successfully assigned/,
  ],
  [
    'deployment web',
    /Replicas: +2 desired \| 2 updated \| 2 total \| 2 available \| 0 unavailable[\s\S]*RollingUpdateStrategy: +25% max unavailable, 25% max surge[\s\S]*Available +True +MinimumReplicasAvailable[\s\S]*NewReplicaSet: +web-\S+ \(2\/2 replicas created\)[\s\S]*ScalingReplicaSet/,
  ],
  [
    'rs -l app=web',
    /Controlled By: +Deployment\/web[\s\S]*Pods Status: +2 Running \/ 0 Waiting[\s\S]*SuccessfulCreate[\s\S]*Created pod: web-/,
  ],
  ['sts sts', /Replicas: +1 desired \| 1 total[\s\S]*create Pod sts-0 in StatefulSet sts successful/],
  [
    'ds ds',
    /Desired Number of Nodes Scheduled: 3[\s\S]*Number of Nodes Misscheduled: 0[\s\S]*Created pod: ds-/,
  ],
  ['rc rc', /Replicas: +1 current \/ 1 desired/],
  [
    'job job',
    /Parallelism: +1\nCompletions: +1[\s\S]*Pods Statuses: +0 (Active|Running)[\s\S]*1 Succeeded[\s\S]*SuccessfulCreate[\s\S]*Completed[\s\S]*Job completed/,
  ],
  ['cronjob cron', /Schedule: +\*\/5 \* \* \* \*\nConcurrency Policy: +Allow/, 21],
  [
    'svc web',
    /Selector: +app=web\nType: +ClusterIP[\s\S]*Port: +http +80\/TCP\nTargetPort: +http\/TCP\nEndpoints: +10\.244\.\d+\.\d+:80,10\.244/,
  ],
  ['endpoints web', /Subsets:\n +Addresses: +10\.244[\s\S]*http +80 +TCP/],
  [
    'endpointslice -l kubernetes.io/service-name=web',
    /AddressType: +IPv4[\s\S]*Ready: +true[\s\S]*TargetRef: +Pod\/web-/,
    21,
  ],
  ['ingress shop', /shop\.example[\s\S]*\/cart +web:80 \(10\.244/],
  ['configmap web', /Data\n====\nvalue:\n----\none/],
  ['secret pass', /Type: +Opaque\n\nData\n====\nword: +7 bytes/],
  ['sa default', /Name: +default[\s\S]*Mountable secrets: +<none>[\s\S]*Tokens: +<none>/],
  ['ns default', /Status: +Active[\s\S]*No resource quota\.[\s\S]*No LimitRange resource\./],
  [
    'node node1',
    /Ready +True[\s\S]*KubeletReady[\s\S]*Allocated resources:[\s\S]*cpu +\d+m? \(\d+%\)[\s\S]*Non-terminated Pods|Non-terminated Pods[\s\S]*Allocated resources:/,
  ],
  ['pvc claim', /Status: +Bound[\s\S]*Capacity: +1Gi\nAccess Modes: +RWO/],
  ['pv', /Claim: +describe-\d+\/claim[\s\S]*Reclaim Policy: +Delete/],
  ['storageclass standard', /IsDefaultClass: +Yes/],
  ['quota few', /Resource +Used +Hard[\s\S]*secrets +1 +5/],
  ['limits limits', /Container +cpu +- +4 +100m +500m/],
  ['hpa web', /Reference: +Deployment\/web[\s\S]*Min replicas: +2\nMax replicas: +4/],
  [
    'pdb pdb',
    /Min available: +1\nSelector: +app=web\nStatus:\n +Allowed disruptions: +1\n +Current: +2\n +Desired: +1\n +Total: +2/,
    21,
  ],
  ['networkpolicy np', /PodSelector: +app=web[\s\S]*To Port: 80\/TCP\n +From:\n +PodSelector: app=x/],
  ['role reader', /pods +\[\] +\[\] +\[get list\]/],
  ['rolebinding readers', /Kind: +Role\n +Name: +reader[\s\S]*User +jane/],
  ['clusterrole view', /configmaps +\[\] +\[\] +\[get list watch\]/],
  ['clusterrolebinding cluster-admin', /Group +system:masters/],
  ['priorityclass system-node-critical', /Value: +2000001000/],
  ['lease -n kube-node-lease node1', /Holder Identity: +node1/],
]

describe.each(thoroughKubectls())('kubectl $version', (kubectl) => {
  const minor = minorOf(kubectl)
  let sh: Shell
  beforeAll(async () => {
    sh = await lab.open(kubectl, 'describe')
    await sh('kubectl create -f -', OBJECTS)
    await sh(
      [
        'kubectl create job job --image=busybox -- true',
        'kubectl create ingress shop --rule=shop.example/cart=web:80',
        'kubectl create secret generic pass --from-literal=word=hunter2',
        'kubectl create quota few --hard=secrets=5',
        'kubectl create role reader --verb=get,list --resource=pods',
        'kubectl create rolebinding readers --role=reader --user=jane',
        'kubectl autoscale deployment web --min=2 --max=4 --cpu-percent=80',
        'kubectl rollout status deploy/web',
        'kubectl wait --for=condition=complete job/job --timeout=30s',
      ].join(' && '),
    )
    await sh.eventually('kubectl get pdb pdb', /pdb +1 +N\/A +1/)
    await sh.eventually('kubectl get pvc claim', /Bound/)
    await sh.eventually('kubectl get quota few -o jsonpath={.status.used}', /"secrets":"1"/)
    await sh.eventually('kubectl get pods sts-0', /Running/)
    await sh.eventually('kubectl get ds ds', /ds +3 +3 +3/)
  })

  it.concurrent.each(DESCRIPTIONS.filter(([, , since = 0]) => minor >= since))(
    'describe %s',
    async (object, output) => {
      expect(await sh(`kubectl describe ${object}`)).toMatch(output)
    },
  )

  it('describe a missing object, and all objects of a kind', async () => {
    expect(await sh.expectFailure('kubectl describe pod nope')).toBe(
      'Error from server (NotFound): pods "nope" not found\n',
    )
    expect(await sh('kubectl describe deploy')).toMatch(/^Name: +web$/m)
  })
})
