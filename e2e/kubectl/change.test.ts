/** Tests kubectl set, label, annotate, scale and autoscale. */
import { describe, expect, it } from 'vitest'
import { webConfig, webDeployment, webService } from '../testing/manifests.ts'
import type { Shell } from '../testing/shell.ts'
import { minorOf, serverKubectls, useTestCluster } from '../testing/use-test-cluster.ts'

const lab = useTestCluster()

const readContainer = async (sh: Shell) =>
  JSON.parse(await sh('kubectl get deploy web -o json')).spec.template.spec.containers[0]

describe.concurrent.each(serverKubectls())('kubectl $version', (kubectl) => {
  const minor = minorOf(kubectl)

  it('set env', async () => {
    const sh = await lab.open(kubectl, 'set-env')
    await sh('kubectl create -f -', webDeployment({ colour: 'red' }))
    expect(await sh('kubectl set env deploy/web SIZE=big COLOUR=blue')).toBe(
      'deployment.apps/web env updated\n',
    )
    expect(await sh('kubectl set env deploy/web --list')).toBe(
      '# Deployment web, container web\nCOLOUR=blue\nSIZE=big\n',
    )
    await sh('kubectl set env deploy/web SIZE-')
    expect((await readContainer(sh)).env).toEqual([{ name: 'COLOUR', value: 'blue' }])
    await sh('kubectl create cm more --from-literal=speed=fast')
    await sh('kubectl set env deploy/web --from=configmap/more')
    expect((await readContainer(sh)).env[1]).toEqual({
      name: 'SPEED',
      valueFrom: { configMapKeyRef: { name: 'more', key: 'speed' } },
    })
  })

  it('set image, resources, serviceaccount', async () => {
    const sh = await lab.open(kubectl, 'set-image')
    await sh('kubectl create -f -', webDeployment())
    expect(await sh('kubectl set image deploy/web web=nginx:1.28')).toBe(
      'deployment.apps/web image updated\n',
    )
    expect(await sh('kubectl set image deploy/web web=nginx:1.28')).toBe('')
    expect(await sh.expectFailure('kubectl set image deploy/web nope=nginx')).toContain(
      'unable to find container named "nope"',
    )
    expect(
      await sh('kubectl set resources deploy web --limits=cpu=200m,memory=256Mi --requests=cpu=0.1'),
    ).toBe('deployment.apps/web resource requirements updated\n')
    await sh('kubectl create sa robot; kubectl set serviceaccount deploy web robot')
    expect(await readContainer(sh)).toMatchObject({
      image: 'nginx:1.28',
      resources: { limits: { cpu: '200m', memory: '256Mi' }, requests: { cpu: '100m' } },
    })
    expect(await sh('kubectl get deploy web -o jsonpath={.spec.template.spec.serviceAccountName}')).toBe(
      'robot',
    )
    await sh.eventually('kubectl get pods -o jsonpath="{.items[*].spec.serviceAccountName}"', /robot/)
  })

  it('set selector, set subject', async () => {
    const sh = await lab.open(kubectl, 'set-subject')
    await sh('kubectl create -f -', webService)
    expect(await sh('kubectl set selector service web tier=front')).toBe('service/web selector updated\n')
    expect(await sh('kubectl get svc web -o jsonpath={.spec.selector}')).toBe('{"tier":"front"}')
    await sh('kubectl create rolebinding b --clusterrole=view --user=jane')
    expect(await sh('kubectl set subject rolebinding b --user=joe --group=team')).toBe(
      'rolebinding.rbac.authorization.k8s.io/b subjects updated\n',
    )
    expect(await sh('kubectl get rolebinding b -o jsonpath={.subjects[*].name}')).toBe('jane joe team')
  })

  it('label', async () => {
    const sh = await lab.open(kubectl, 'label')
    await sh('kubectl create -f -', webConfig('one'))
    expect(await sh('kubectl label cm web tier=front')).toBe('configmap/web labeled\n')
    expect(await sh.expectFailure('kubectl label cm web tier=back')).toContain(
      `error: 'tier' already has a value (front), and --overwrite is false`,
    )
    await sh('kubectl label cm web tier=back --overwrite')
    expect(await sh('kubectl label cm -l tier=back app-')).toMatch(/configmap\/web (labeled|unlabeled)\n/)
    expect(await sh('kubectl get cm web -o jsonpath={.metadata.labels}')).toBe('{"tier":"back"}')
    expect(await sh.expectFailure('kubectl label cm web "bad key=x"')).toContain(
      'name part must consist of alphanumeric characters',
    )
    expect(await sh('kubectl label cm --all every=one')).toContain('configmap/kube-root-ca.crt labeled')
    expect(await sh.expectFailure('kubectl label cm web tier=x --overwrite --resource-version=1')).toContain(
      'the object has been modified',
    )
  })

  it('annotate', async () => {
    const sh = await lab.open(kubectl, 'annotate')
    await sh('kubectl create -f -', webConfig('one'))
    expect(await sh(`kubectl annotate cm web note='two words' other=x`)).toBe('configmap/web annotated\n')
    expect(await sh('kubectl annotate cm web note="two words" --overwrite')).toBe('configmap/web annotated\n')
    await sh('kubectl annotate cm web other-')
    expect(await sh('kubectl get cm web -o jsonpath={.metadata.annotations}')).toBe('{"note":"two words"}')
    if (minor >= 22) expect(await sh('kubectl annotate cm web --list')).toBe('note=two words\n')
  })

  it('scale', async () => {
    const sh = await lab.open(kubectl, 'scale')
    await sh('kubectl create -f -', webDeployment())
    expect(await sh('kubectl scale deploy web --replicas=3')).toBe('deployment.apps/web scaled\n')
    await sh.eventually('kubectl get deploy web', /3\/3/)
    expect(await sh('kubectl scale --current-replicas=3 --replicas=1 deploy/web')).toBe(
      'deployment.apps/web scaled\n',
    )
    expect(await sh.expectFailure('kubectl scale --current-replicas=3 --replicas=2 deploy/web')).toMatch(
      /Expected replicas to be 3, was 1/,
    )
    await sh.eventually('kubectl get deploy web', /1\/1/)
    await sh('kubectl scale rs -l app=web --replicas=1')
    await sh('kubectl scale deploy --all --replicas=0')
    await sh.eventually('kubectl get pods 2>&1', /No resources found/)
    expect(await sh.expectFailure('kubectl scale cm kube-root-ca.crt --replicas=1')).toMatch(
      /could not find the requested resource/,
    )
  })

  it('autoscale', async () => {
    const sh = await lab.open(kubectl, 'autoscale')
    await sh('kubectl create -f -', webDeployment({ replicas: 1 }))
    await sh('kubectl set resources deploy web --requests=cpu=100m')
    expect(await sh('kubectl autoscale deployment web --min=2 --max=5 --cpu-percent=80')).toBe(
      'horizontalpodautoscaler.autoscaling/web autoscaled\n',
    )
    expect(
      await sh('kubectl get horizontalpodautoscalers.v2.autoscaling web -o jsonpath="{.spec.metrics}"'),
    ).toBe(
      '[{"resource":{"name":"cpu","target":{"averageUtilization":80,"type":"Utilization"}},"type":"Resource"}]',
    )
    expect(
      await sh(
        'kubectl get horizontalpodautoscalers.v1.autoscaling web -o jsonpath="{.spec.targetCPUUtilizationPercentage}"',
      ),
    ).toBe('80')
    await sh.eventually('kubectl get deploy web -o jsonpath={.spec.replicas}', /^2$/)
    expect(await sh.eventually('kubectl get hpa web', /cpu: \d+%\/80%/)).toMatch(
      /^NAME +REFERENCE +TARGETS +MINPODS +MAXPODS +REPLICAS +AGE\nweb +Deployment\/web +cpu: \d+%\/80% +2 +5 +[12]/,
    )
  })
})
