/** Tests kubectl cordon, uncordon, drain, taint and top. */
import { beforeAll, describe, expect, it } from 'vitest'
import { scriptPod, webDeployment } from '../testing/manifests.ts'
import type { Shell } from '../testing/shell.ts'
import { minorOf, serverKubectls, useTestCluster } from '../testing/use-test-cluster.ts'

const lab = useTestCluster()

const budgetManifest = (minAvailable: number): string => `\
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec:
  minAvailable: ${minAvailable}
  selector:
    matchLabels: {app: web}
`

// Not concurrent, because these tests share the nodes.
describe.each(serverKubectls())('kubectl $version', (kubectl) => {
  const minor = minorOf(kubectl)
  let sh: Shell
  beforeAll(async () => {
    sh = await lab.open(kubectl, 'nodes')
  })

  const listPodNodes = async (): Promise<string[]> =>
    (await sh('kubectl get pods -l app=web -o jsonpath="{.items[*].spec.nodeName}"')).split(' ')

  it('cordon and uncordon', async () => {
    expect(await sh('kubectl cordon node1')).toBe('node/node1 cordoned\n')
    expect(await sh('kubectl cordon node1')).toBe('node/node1 already cordoned\n')
    expect(await sh('kubectl get node node1')).toMatch(/Ready,SchedulingDisabled/)
    expect(
      await sh(
        'kubectl get node node1 -o jsonpath="{.spec.unschedulable} {.spec.taints[0].key} {.spec.taints[0].effect}"',
      ),
    ).toBe('true node.kubernetes.io/unschedulable NoSchedule')
    await sh('kubectl create -f -', webDeployment({ replicas: 4 }))
    await sh('kubectl rollout status deploy/web --timeout=30s')
    expect(await listPodNodes()).not.toContain('node1')
    expect(await sh('kubectl uncordon node1')).toBe('node/node1 uncordoned\n')
    expect(await sh.eventually('kubectl get node node1 -o jsonpath={.spec}', /^(?!.*taints)/)).not.toContain(
      'unschedulable',
    )
  })

  it('drain evicts pods, and requires flags for destructive cases', async () => {
    await sh('kubectl create -f -', scriptPod('alone', 'sleep 600', '  nodeName: node2\n'))
    await sh('kubectl create -f -', scriptPod('done', 'true', '  nodeName: node2\n'))
    await sh.eventually('kubectl get pod alone', /Running/)
    await sh.eventually('kubectl get pod done', /Completed/)
    expect(await sh.expectFailure('kubectl drain node2')).toMatch(
      /cannot delete Pods (not managed by|that declare no controller)/,
    )
    const drained = await sh(
      'kubectl drain node2 --force --ignore-daemonsets --delete-emptydir-data --timeout=60s',
    )
    expect(drained).toMatch(
      /evicting pod nodes-\d+\/alone[\s\S]*pod\/alone evicted[\s\S]*node\/node2 (evicted|drained)/,
    )
    expect(drained).toContain('pod/done evicted')
    await sh('kubectl rollout status deploy/web --timeout=30s')
    expect(await listPodNodes()).not.toContain('node2')
    await sh('kubectl uncordon node2')
  })

  it('drain waits for disruption budgets', async () => {
    await sh('kubectl apply -f -', budgetManifest(4))
    await sh.eventually('kubectl get pdb web', /web +4 +N\/A +0/)
    const [node] = await listPodNodes()
    const blocked = await sh.run(
      `kubectl drain ${node} --ignore-daemonsets --delete-emptydir-data --force --timeout=3s`,
    )
    expect(blocked.code).toBe(1)
    expect(blocked.stderr).toContain(`Cannot evict pod as it would violate the pod's disruption budget.`)
    await sh('kubectl apply -f -', budgetManifest(3))
    await sh.eventually('kubectl get pdb web', /web +3 +N\/A +1/)
    await sh(`kubectl drain ${node} --ignore-daemonsets --delete-emptydir-data --force --timeout=60s`)
    expect(await listPodNodes()).not.toContain(node)
    await sh(`kubectl uncordon ${node}; kubectl delete pdb web`)
  })

  it('taint', async () => {
    expect(await sh('kubectl taint nodes node3 dedicated=db:NoExecute')).toBe('node/node3 tainted\n')
    await sh.eventually('kubectl get pods -l app=web -o jsonpath="{.items[*].spec.nodeName}"', /^(?!.*node3)/)
    expect(await sh.expectFailure('kubectl taint nodes node3 dedicated=other:NoExecute')).toContain(
      'already has dedicated taint(s) with same effect(s) and --overwrite is false',
    )
    expect(await sh('kubectl describe node node3')).toMatch(/Taints: +dedicated=db:NoExecute/)
    expect(await sh('kubectl taint nodes node3 dedicated-')).toBe('node/node3 untainted\n')
    expect(await sh.expectFailure('kubectl taint nodes node3 dedicated-')).toContain(
      'taint "dedicated" not found',
    )
    await sh('kubectl delete deploy web')
  })

  it('top nodes and top pods', async () => {
    await sh('kubectl create -f -', webDeployment())
    await sh('kubectl rollout status deploy/web --timeout=30s')
    expect(await sh('kubectl top nodes')).toMatch(
      /^NAME +CPU\(cores\) +(CPU%|CPU\(%\)) +MEMORY\(bytes\) +(MEMORY%|MEMORY\(%\)) *\nnode1 +\d+m +\d+% +\d+Mi +\d+%/,
    )
    expect(await sh('kubectl top pods')).toMatch(
      /^NAME +CPU\(cores\) +MEMORY\(bytes\) *\nweb-\S+ +\d+m +[1-9]\d*Mi/,
    )
    expect(await sh('kubectl top pods --containers')).toMatch(
      /^POD +NAME +CPU\(cores\) +MEMORY\(bytes\) *\nweb-\S+ +web +\d+m +[1-9]\d*Mi/,
    )
    expect(await sh('kubectl top pods -A')).toMatch(/^NAMESPACE +NAME/)
    expect(await sh('kubectl top pods -l app=web --no-headers')).toMatch(
      /^(web-\S+ +\d+m +[1-9]\d*Mi *\n){2}$/,
    )
    await sh.expectFailure('kubectl top pod nope')
    if (minor >= 23) {
      const lines = (await sh('kubectl top pods --sum --no-headers')).split('\n')
      const [first, second, , sum] = lines.map((line) => Number(/(\d+)Mi/.exec(line)?.[1]))
      // Each value is rounded separately.
      expect(Math.abs(first! + second! - sum!)).toBeLessThanOrEqual(2)
    }
    await sh('kubectl delete deploy web')
  })

  it('label and annotate nodes, and schedule by labels', async () => {
    await sh('kubectl label node node1 disk=ssd --overwrite')
    await sh(`kubectl run fast --image=nginx:1.27 --overrides='{"spec":{"nodeSelector":{"disk":"ssd"}}}'`)
    await sh.eventually('kubectl get pod fast -o wide', /Running.* node1 /)
    await sh(`kubectl run never --image=nginx:1.27 --overrides='{"spec":{"nodeSelector":{"disk":"tape"}}}'`)
    await sh.eventually(
      'kubectl get events --field-selector=involvedObject.name=never',
      /FailedScheduling +pod\/never +0\/3 nodes are available: 3 node\(s\) didn't match Pod's node affinity\/selector\. preemption: 0\/3 nodes are available: 3 Preemption is not helpful for scheduling\./,
    )
    expect(await sh('kubectl get pod never')).toMatch(/0\/1 +Pending/)
    await sh('kubectl label node node1 disk-; kubectl delete pod fast never --wait=false')
  })
})
