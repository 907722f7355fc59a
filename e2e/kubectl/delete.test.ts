/** Tests kubectl delete, and the deletion of dependents. */
import { describe, expect, it } from 'vitest'
import { joinManifests, scriptPod, webConfig, webDeployment } from '../testing/manifests.ts'
import { minorOf, serverKubectls, useTestCluster } from '../testing/use-test-cluster.ts'

const lab = useTestCluster()

describe.concurrent.each(serverKubectls())('kubectl $version', (kubectl) => {
  const minor = minorOf(kubectl)

  it('delete by name, file, label, kind and all', async () => {
    const sh = await lab.open(kubectl, 'delete')
    await sh('kubectl create -f -', webConfig('one'))
    expect(await sh('kubectl delete cm web')).toMatch(/^configmap "web" deleted/)
    expect(await sh.expectFailure('kubectl delete cm web')).toBe(
      'Error from server (NotFound): configmaps "web" not found\n',
    )
    expect(await sh('kubectl delete cm web --ignore-not-found')).toBe('')
    await sh('kubectl create -f -', webConfig('one'))
    expect(await sh('kubectl delete -f -', webConfig('one'))).toMatch(/^configmap "web" deleted/)
    await sh('kubectl create -f -', webConfig('one'))
    expect(await sh('kubectl delete cm -l app=web')).toMatch(/^configmap "web" deleted/)
    await sh('kubectl create secret generic a; kubectl create secret generic b')
    expect(await sh('kubectl delete secrets --all')).toMatch(/secret "a" deleted.*\nsecret "b" deleted/)
    await sh('kubectl create secret generic a')
    expect(await sh('kubectl delete secret a --dry-run=server')).toMatch(
      /secret "a" deleted.*\(server dry run\)/,
    )
    await sh('kubectl get secret a')
    expect(await sh('kubectl delete secret a -o name')).toBe('secret/a\n')
  })

  it('delete deployment --cascade=background, foreground, orphan', async () => {
    const sh = await lab.open(kubectl, 'cascade')
    await sh('kubectl create -f -', webDeployment())
    await sh('kubectl rollout status deploy/web')
    await sh('kubectl delete deploy web --cascade=background')
    await sh.eventually('kubectl get rs,pods 2>&1', /No resources found/)
    await sh('kubectl create -f -', webDeployment())
    await sh('kubectl rollout status deploy/web')
    await sh('kubectl delete deploy web --cascade=foreground')
    expect((await sh.run('kubectl get deploy,rs,pods')).stderr).toContain('No resources found')
    await sh('kubectl create -f -', webDeployment())
    await sh('kubectl rollout status deploy/web')
    await sh('kubectl delete deploy web --cascade=orphan')
    expect(
      await sh(
        'kubectl get rs -o jsonpath="{.items[*].metadata.ownerReferences}{.items[*].status.readyReplicas}"',
      ),
    ).toBe('2')
    await sh('kubectl delete rs -l app=web')
    await sh.eventually('kubectl get pods 2>&1', /No resources found/)
  })

  it('delete pod: gracefully, --grace-period, --force', async () => {
    const sh = await lab.open(kubectl, 'grace')
    const stubborn = `trap '' TERM; while :; do sleep 0.1; done`
    await sh(
      'kubectl create -f -',
      joinManifests(
        scriptPod('gentle', 'exec sleep 600'),
        scriptPod('stubborn', stubborn),
        scriptPod('forced', stubborn).replace('PeriodSeconds: 1', 'PeriodSeconds: 300'),
        scriptPod('brief', stubborn).replace('PeriodSeconds: 1', 'PeriodSeconds: 300'),
      ),
    )
    await sh('kubectl wait --for=condition=Ready pod --all --timeout=30s')
    await sh('kubectl delete pod gentle stubborn')
    await sh('kubectl delete pod brief --grace-period=1')
    const forced = await sh.run('kubectl delete pod forced --force --grace-period=0')
    expect(forced).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('pod "forced" force deleted'),
      stderr: expect.stringContaining('Immediate deletion does not wait for confirmation'),
    })
    expect((await sh.run('kubectl get pods')).stderr).toContain('No resources found')
  })

  it('shows a pod as Terminating', async () => {
    const sh = await lab.open(kubectl, 'terminating')
    await sh(
      'kubectl create -f -',
      scriptPod('slow', `trap '' TERM; while :; do sleep 0.1; done`).replace(
        'PeriodSeconds: 1',
        'PeriodSeconds: 4',
      ),
    )
    await sh(
      'kubectl wait --for=condition=Ready pod slow --timeout=30s; kubectl delete pod slow --wait=false',
    )
    expect(await sh('kubectl get pods')).toMatch(/slow +1\/1 +Terminating/)
    await sh('kubectl wait --for=delete pod slow --timeout=30s')
  })

  it('finalizers delay the deletion', async () => {
    const sh = await lab.open(kubectl, 'finalizers')
    await sh(
      'kubectl create -f -',
      webConfig('one').replace('  name: web', '  name: web\n  finalizers: [example.com/hold]'),
    )
    await sh('kubectl delete cm web --wait=false')
    expect(await sh('kubectl get cm web -o jsonpath={.metadata.deletionTimestamp}')).toMatch(/^20\d\d-/)
    expect(await sh.expectFailure('kubectl delete cm web --timeout=1s')).toMatch(
      /timed out waiting for the condition/,
    )
    await sh(`kubectl patch cm web --type=merge -p '{"metadata":{"finalizers":null}}'`)
    await sh.expectFailure('kubectl get cm web')
  })

  it('delete namespace deletes all of its objects', async () => {
    const sh = await lab.open(kubectl, 'namespace')
    await sh(`kubectl create ns doomed-${minor}`)
    await sh(
      `kubectl create deployment web --image=nginx:1.27 -n doomed-${minor}; kubectl create cm x -n doomed-${minor}`,
    )
    // A program that does not listen yet does not handle SIGTERM either.
    await sh.eventually(`kubectl logs deploy/web -n doomed-${minor} 2>/dev/null`, /ready/)
    expect(await sh(`kubectl delete ns doomed-${minor}`)).toMatch(
      new RegExp(`namespace "doomed-${minor}" deleted`),
    )
    await sh.expectFailure(`kubectl get ns doomed-${minor}`)
    expect((await sh.run(`kubectl get all,cm -n doomed-${minor}`)).stderr).toContain('No resources found')
  })
})
