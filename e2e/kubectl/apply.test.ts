/** Tests kubectl apply on the client and on the server, diff, replace, edit and patch. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { joinManifests, webConfig, webDeployment, webService } from '../testing/manifests.ts'
import type { Shell } from '../testing/shell.ts'
import { minorOf, thoroughKubectls, useTestCluster } from '../testing/use-test-cluster.ts'

const lab = useTestCluster()

const write = (sh: Shell, file: string, text: string): void => writeFileSync(join(sh.cwd, file), text)

/** Sets EDITOR to a command that replaces one text with another. */
const editorReplacing = (from: string, to: string): string => `EDITOR='sed -i "s/${from}/${to}/"'`

describe.concurrent.each(thoroughKubectls())('kubectl $version', (kubectl) => {
  const minor = minorOf(kubectl)

  it('apply: created, unchanged, changed and removed fields', async () => {
    const sh = await lab.open(kubectl, 'apply')
    const manifests = joinManifests(webDeployment({ colour: 'red' }), webService, webConfig('one'))
    expect(await sh('kubectl apply -f -', manifests)).toBe(
      'deployment.apps/web created\nservice/web created\nconfigmap/web created\n',
    )
    expect(await sh('kubectl apply -f -', manifests)).toBe(
      'deployment.apps/web unchanged\nservice/web unchanged\nconfigmap/web unchanged\n',
    )
    await sh('kubectl scale deploy web --replicas=4')
    expect(
      await sh(
        'kubectl apply -f -',
        joinManifests(webDeployment({ image: 'nginx:1.28', replicas: 3 }), webService, webConfig('two')),
      ),
    ).toBe('deployment.apps/web configured\nservice/web unchanged\nconfigmap/web configured\n')
    const { spec } = JSON.parse(await sh('kubectl get deploy web -o json'))
    expect(spec.replicas).toBe(3)
    expect(spec.template.spec.containers).toMatchObject([
      { image: 'nginx:1.28', ports: [{ containerPort: 80, name: 'http', protocol: 'TCP' }] },
    ])
    expect(spec.template.spec.containers[0].env).toBeUndefined()
    expect(await sh('kubectl get cm web -o jsonpath={.data}')).toBe('{"value":"two"}')
  })

  it('apply keeps fields of other managers', async () => {
    const sh = await lab.open(kubectl, 'others')
    await sh('kubectl apply -f -', webConfig('one'))
    await sh('kubectl annotate cm web by=hand')
    await sh(`kubectl patch cm web --type=merge -p '{"data":{"other":"x"}}'`)
    await sh('kubectl apply -f -', webConfig('two'))
    expect(await sh('kubectl get cm web -o jsonpath="{.data} {.metadata.annotations.by}"')).toBe(
      '{"other":"x","value":"two"} hand',
    )
  })

  it('apply --prune', async () => {
    const sh = await lab.open(kubectl, 'prune')
    await sh('kubectl apply -f -', joinManifests(webConfig('one'), webService))
    const pruned = await sh(
      'kubectl apply --prune -l app=web --prune-whitelist=core/v1/ConfigMap -f - 2>/dev/null || kubectl apply --prune -l app=web --prune-allowlist=core/v1/ConfigMap -f -',
      webService,
    )
    expect(pruned).toMatch(/service\/web unchanged\nconfigmap\/web pruned\n/)
    await sh.expectFailure('kubectl get cm web')
  })

  it('apply --dry-run=server and --dry-run=client', async () => {
    const sh = await lab.open(kubectl, 'dry')
    expect(await sh('kubectl apply --dry-run=server -f -', webConfig('one'))).toBe(
      'configmap/web created (server dry run)\n',
    )
    expect(await sh('kubectl apply --dry-run=client -f -', webConfig('one'))).toBe(
      'configmap/web created (dry run)\n',
    )
    await sh.expectFailure('kubectl get cm web')
    await sh('kubectl apply -f -', webConfig('one'))
    expect(await sh('kubectl apply --dry-run=server -f - -o jsonpath={.data.value}', webConfig('two'))).toBe(
      'two',
    )
    expect(await sh('kubectl get cm web -o jsonpath={.data.value}')).toBe('one')
  })

  it('apply view-last-applied, set-last-applied, edit-last-applied', async () => {
    const sh = await lab.open(kubectl, 'last')
    await sh('kubectl apply -f -', webConfig('one'))
    expect(await sh('kubectl apply view-last-applied cm web')).toContain('value: one')
    write(sh, 'two.yaml', webConfig('two'))
    expect(await sh('kubectl apply set-last-applied -f two.yaml')).toBe('configmap/web configured\n')
    expect(await sh('kubectl apply view-last-applied cm/web -o json')).toContain('"value": "two"')
    expect(
      await sh(`${editorReplacing('value: two', 'value: three')} kubectl apply edit-last-applied cm/web`),
    ).toMatch(/^configmap\/web (edited|configured)\n$/)
    expect(await sh('kubectl apply view-last-applied cm/web')).toContain('value: three')
    expect(await sh('kubectl get cm web -o jsonpath={.data.value}')).toBe('one')
  })

  it('apply -f of folders, and validation', async () => {
    const sh = await lab.open(kubectl, 'folder')
    await sh('mkdir -p all/deep')
    write(sh, 'all/config.yaml', webConfig('one'))
    write(
      sh,
      'all/deep/service.json',
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'deep' },
        spec: { ports: [{ port: 1 }] },
      }),
    )
    expect(await sh('kubectl apply -R -f all')).toBe('configmap/web created\nservice/deep created\n')
    const unknown = webDeployment().replace('replicas: 2', 'replica: 2')
    expect(await sh.expectFailure('kubectl apply -f -', 1, unknown)).toMatch(
      minor < 25
        ? /error validating data: ValidationError\(Deployment\.spec\): unknown field "replica"/
        : /strict decoding error: unknown field "spec\.replica"/,
    )
    expect(await sh('kubectl apply --validate=false -f -', unknown)).toBe('deployment.apps/web created\n')
    const wrongType = webDeployment().replace('replicas: 2', 'replicas: two')
    expect(await sh.expectFailure('kubectl apply -f -', 1, wrongType)).toMatch(
      /invalid type for io\.k8s\.api\.apps\.v1\.DeploymentSpec\.replicas|The request is invalid: patch: Invalid value: .*: unrecognized type: int32/,
    )
    expect(
      await sh.expectFailure(
        'kubectl apply -f -',
        1,
        webDeployment().replace('matchLabels: {app: web}', 'matchLabels: {app: other}'),
      ),
    ).toMatch(
      /The Deployment "web" is invalid:[\s\S]*`selector` does not match template `labels`[\s\S]*field is immutable/,
    )
  })

  it('apply --server-side: managers, conflicts, force', async () => {
    const sh = await lab.open(kubectl, 'ssa')
    const ours = 'kubectl apply --server-side --field-manager=ours -f -'
    const theirs = 'kubectl apply --server-side --field-manager=theirs -f -'
    expect(await sh(ours, webConfig('one'))).toBe('configmap/web serverside-applied\n')
    expect(await sh.expectFailure(theirs, 1, webConfig('two'))).toMatch(
      /error: Apply failed with 1 conflict: conflict with "ours"( using v1)?: \.data\.value\n/,
    )
    expect(await sh('kubectl get cm web -o jsonpath={.data.value}')).toBe('one')
    await sh(`${theirs} --force-conflicts`, webConfig('two'))
    expect(await sh('kubectl get cm web -o jsonpath={.data.value}')).toBe('two')
    const showFlag = minor < 21 ? '' : ' --show-managed-fields'
    const { metadata } = JSON.parse(await sh(`kubectl get cm web -o json${showFlag}`))
    const owners = Object.fromEntries(
      metadata.managedFields.map((entry: { manager: string; operation: string; fieldsV1: object }) => [
        entry.manager,
        [entry.operation, entry.fieldsV1],
      ]),
    )
    expect(owners.theirs).toEqual([
      'Apply',
      { 'f:data': { 'f:value': {} }, 'f:metadata': { 'f:labels': { 'f:app': {} } } },
    ])
    expect(owners.ours).toEqual(['Apply', { 'f:metadata': { 'f:labels': { 'f:app': {} } } }])
    await sh(theirs, 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n')
    expect(await sh('kubectl get cm web -o jsonpath="{.data} {.metadata.labels}"')).toBe(' {"app":"web"}')
  })

  it('apply --server-side takes over from client-side apply', async () => {
    const sh = await lab.open(kubectl, 'migrate')
    await sh('kubectl apply -f -', webDeployment({ colour: 'red' }))
    expect(
      await sh('kubectl apply --server-side --force-conflicts -f -', webDeployment({ colour: 'red' })),
    ).toBe('deployment.apps/web serverside-applied\n')
    await sh('kubectl apply --server-side -f -', webDeployment({ image: 'nginx:1.28' }))
    const [container] = JSON.parse(await sh('kubectl get deploy web -o json')).spec.template.spec.containers
    expect(container.image).toBe('nginx:1.28')
    // Only newer versions transfer the fields, so that fields that are no longer applied are removed.
    if (minor >= 26) expect(container.env).toBeUndefined()
  })

  it('diff', async () => {
    const sh = await lab.open(kubectl, 'diff')
    await sh('kubectl apply -f -', webConfig('one'))
    expect(await sh('kubectl diff -f -', webConfig('one'))).toBe('')
    const { code, stdout } = await sh.run('kubectl diff -f -', webConfig('two'))
    expect(code).toBe(1)
    expect(stdout).toMatch(/-\s+value: one\n\+\s+value: two/)
    const fresh = await sh.run('kubectl diff -f -', webConfig('two').replace('name: web', 'name: fresh'))
    expect(fresh).toMatchObject({ code: 1, stdout: expect.stringMatching(/\+kind: ConfigMap/) })
    expect(await sh('kubectl get cm web -o jsonpath={.data.value}')).toBe('one')
  })

  it('replace, and replace --force', async () => {
    const sh = await lab.open(kubectl, 'replace')
    await sh('kubectl create -f -', webConfig('one'))
    const uid = await sh('kubectl get cm web -o jsonpath={.metadata.uid}')
    expect(await sh('kubectl replace -f -', webConfig('two'))).toBe('configmap/web replaced\n')
    expect(await sh('kubectl get cm web -o jsonpath="{.data} {.metadata.uid}"')).toBe(
      `{"value":"two"} ${uid}`,
    )
    expect(await sh('kubectl replace --force -f -', webConfig('three'))).toMatch(
      /configmap "web" deleted.*\nconfigmap\/web replaced\n/,
    )
    expect(await sh('kubectl get cm web -o jsonpath={.metadata.uid}')).not.toBe(uid)
    expect(
      await sh.expectFailure('kubectl replace -f -', 1, webConfig('x').replace('name: web', 'name: absent')),
    ).toContain('configmaps "absent" not found')
    await sh('kubectl get cm web -o yaml > old.yaml; kubectl annotate cm web touched=yes')
    expect(await sh.expectFailure('kubectl replace -f old.yaml')).toContain(
      'Operation cannot be fulfilled on configmaps "web": the object has been modified; please apply your changes to the latest version and try again',
    )
  })

  it('edit', async () => {
    const sh = await lab.open(kubectl, 'edit')
    await sh('kubectl create -f -', webDeployment())
    expect(await sh(`${editorReplacing('replicas: 2', 'replicas: 5')} kubectl edit deploy web`)).toBe(
      'deployment.apps/web edited\n',
    )
    expect(await sh('kubectl get deploy web -o jsonpath={.spec.replicas}')).toBe('5')
    expect((await sh.run('EDITOR=true kubectl edit deploy web')).stderr).toContain(
      'Edit cancelled, no changes made.',
    )
    // The editor is opened again with the reason, and kubectl stops if nothing changes.
    const invalid = await sh.run(`${editorReplacing('replicas: 5', 'replicas: -5')} kubectl edit deploy web`)
    expect(invalid.stderr).toContain('deployments.apps "web" is invalid')
    expect(
      await sh(
        `${editorReplacing('tier: x', 'tier: y')} kubectl edit deploy web --output-patch 2>&1 || true`,
      ),
    ).toContain('no changes made')
  })

  it('patch: strategic, merge, json', async () => {
    const sh = await lab.open(kubectl, 'patch')
    await sh('kubectl create -f -', webDeployment({ colour: 'red' }))
    const readContainers = async () =>
      JSON.parse(await sh('kubectl get deploy web -o json')).spec.template.spec.containers
    expect(
      await sh(
        `kubectl patch deploy web -p '{"spec":{"template":{"spec":{"containers":[{"name":"web","env":[{"name":"SIZE","value":"big"}]},{"name":"side","image":"busybox"}]}}}}'`,
      ),
    ).toBe('deployment.apps/web patched\n')
    expect(await readContainers()).toMatchObject([
      {
        name: 'web',
        env: [
          { name: 'SIZE', value: 'big' },
          { name: 'COLOUR', value: 'red' },
        ],
      },
      { name: 'side', image: 'busybox' },
    ])
    await sh(
      `kubectl patch deploy web -p '{"spec":{"template":{"spec":{"containers":[{"name":"side","$patch":"delete"}]}}}}'`,
    )
    expect(await readContainers()).toHaveLength(1)
    await sh(
      `kubectl patch deploy web --type=merge -p '{"spec":{"replicas":1,"template":{"spec":{"containers":[{"name":"web","image":"nginx:1.29"}]}}}}'`,
    )
    expect((await readContainers())[0].env).toBeUndefined()
    await sh(
      `kubectl patch deploy web --type=json -p '[{"op":"test","path":"/spec/replicas","value":1},{"op":"replace","path":"/spec/replicas","value":3},{"op":"add","path":"/metadata/labels/new","value":"yes"}]'`,
    )
    expect(await sh('kubectl get deploy web -o jsonpath="{.spec.replicas} {.metadata.labels.new}"')).toBe(
      '3 yes',
    )
    // During the rollout, kubectl would report a change of the status as a change.
    await sh('kubectl rollout status deploy/web --timeout=60s')
    expect(await sh(`kubectl patch deploy web -p '{"spec":{"replicas":3}}'`)).toBe(
      'deployment.apps/web patched (no change)\n',
    )
    expect(
      await sh.expectFailure(
        `kubectl patch deploy web --type=json -p '[{"op":"remove","path":"/spec/nope"}]'`,
      ),
    ).toMatch(
      /The request is invalid: the server rejected our request due to an error in our request|is invalid/,
    )
    expect(
      await sh.expectFailure(
        `kubectl patch deploy web -p '{"spec":{"selector":{"matchLabels":{"app":"x"}}}}'`,
      ),
    ).toMatch(/field is immutable/)
  })

  if (minor >= 24)
    it('patch and get with --subresource', async () => {
      const sh = await lab.open(kubectl, 'subresource')
      await sh('kubectl create -f -', webDeployment({ replicas: 0 }))
      await sh.eventually('kubectl get deploy web -o jsonpath={.status.observedGeneration}', /1/)
      await sh(
        `kubectl patch deploy web --subresource=status --type=merge -p '{"status":{"conditions":[{"type":"Mine","status":"True"}]},"spec":{"replicas":7}}'`,
      )
      expect(await sh('kubectl get deploy web --subresource=status -o jsonpath="{.spec.replicas}"')).toBe('0')
      expect(
        await sh(
          'kubectl get deploy web --subresource=scale -o jsonpath="{.kind} {.spec.replicas} {.status.selector}"',
        ),
      ).toBe('Scale  app=web')
      await sh(`kubectl patch deploy web --subresource=scale --type=merge -p '{"spec":{"replicas":2}}'`)
      expect(await sh('kubectl get deploy web -o jsonpath="{.spec.replicas}"')).toBe('2')
    })
})
