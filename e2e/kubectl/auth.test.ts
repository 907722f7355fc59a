/** Tests credentials, kubectl auth, and rejected requests. */
import { createPublicKey, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { webConfig } from '../testing/manifests.ts'
import { minorOf, thoroughKubectls, useTestCluster } from '../testing/use-test-cluster.ts'

/** Verifies a token with the published keys of the cluster. */
const hasValidSignature = async (
  sh: (script: string) => Promise<string>,
  token: string,
): Promise<boolean> => {
  const discovery = JSON.parse(await sh('kubectl get --raw /.well-known/openid-configuration'))
  expect(discovery.issuer).toBe('https://kubernetes.default.svc.cluster.local')
  const { keys } = JSON.parse(await sh(`kubectl get --raw ${new URL(discovery.jwks_uri).pathname}`))
  const [header, claims, signature] = token.split('.')
  const key = createPublicKey({ key: keys[0], format: 'jwk' })
  expect(JSON.parse(Buffer.from(header!, 'base64url').toString()).kid).toBe(keys[0].kid)
  const signed = Buffer.from(`${header}.${claims}`)
  return verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature!, 'base64url'))
}

const lab = useTestCluster()

const roleManifest = (namespace: string, verbs: string): string => `\
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reconciled, namespace: ${namespace}}
rules:
- {apiGroups: [""], resources: [pods], verbs: [${verbs}]}
`

/** Requests a token of an account through the API, because older versions of kubectl cannot. */
const requestToken = async (namespace: string, name: string): Promise<string> => {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`
  const { body } = await lab.current.request('POST', path, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: {},
  })
  return body.status.token
}

describe.concurrent.each(thoroughKubectls())('kubectl $version', (kubectl) => {
  const minor = minorOf(kubectl)

  it('an administrator authenticates with a certificate', async () => {
    const sh = await lab.open(kubectl, 'certificate', 'certificate')
    await sh('kubectl create -f -', webConfig('one'))
    expect(await sh('kubectl get cm web -o name')).toBe('configmap/web\n')
    expect(await sh('kubectl auth can-i "*" "*"')).toBe('yes\n')
    if (minor >= 27)
      expect(await sh('kubectl auth whoami')).toMatch(
        /Username +test-admin\nGroups +\[system:masters system:authenticated\]/,
      )
  })

  it('a service account has the rights of its role', async () => {
    const admin = await lab.open(kubectl, 'account')
    const namespace = `account-${minor}`
    await admin(
      'kubectl create sa agent; kubectl create role agent --verb=get,list,watch,create --resource=configmaps; kubectl create rolebinding agent --role=agent --serviceaccount=$(kubectl config view --minify -o jsonpath={..namespace}):agent',
    )
    const token =
      minor >= 24
        ? (await admin('kubectl create token agent --duration=1h')).trim()
        : await requestToken(namespace, 'agent')
    const sh = await lab.open(kubectl, 'account', { token })
    await sh('kubectl create -f -', webConfig('one'))
    expect(await sh('kubectl get cm -o name')).toContain('configmap/web')
    expect(await sh.expectFailure('kubectl delete cm web')).toBe(
      `Error from server (Forbidden): configmaps "web" is forbidden: User "system:serviceaccount:${namespace}:agent" cannot delete resource "configmaps" in API group "" in the namespace "${namespace}"\n`,
    )
    expect(await sh.expectFailure('kubectl get pods')).toContain(
      `pods is forbidden: User "system:serviceaccount:${namespace}:agent" cannot list resource "pods" in API group "" in the namespace "${namespace}"`,
    )
    expect(await sh.expectFailure('kubectl get nodes')).toContain(
      'cannot list resource "nodes" in API group "" at the cluster scope',
    )
    expect(await sh.expectFailure('kubectl get cm -n kube-system')).toContain(
      'in the namespace "kube-system"',
    )
    expect(await sh('kubectl auth can-i create configmaps')).toBe('yes\n')
    expect((await sh.run('kubectl auth can-i delete configmaps')).stdout).toBe('no\n')
    expect(await sh('kubectl auth can-i --list')).toMatch(
      /Resources +Non-Resource URLs +Resource Names +Verbs[\s\S]*configmaps +\[\] +\[\] +\[get list watch create\]/,
    )
    expect(
      await sh.expectFailure(
        'kubectl create rolebinding mine --clusterrole=admin --serviceaccount=default:default',
      ),
    ).toContain('cannot create resource "rolebindings"')
    if (minor >= 27)
      expect(JSON.parse(await sh('kubectl auth whoami -o json')).status.userInfo).toMatchObject({
        username: `system:serviceaccount:${namespace}:agent`,
        groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
      })
  })

  it('an invalid token is unauthorized', async () => {
    const sh = await lab.open(kubectl, 'wrong', { token: 'wrong' })
    expect(await sh.expectFailure('kubectl get pods')).toMatch(
      /You must be logged in to the server \((Unauthorized|the server has asked for the client to provide credentials)\)/,
    )
  })

  it('privilege escalation is rejected', async () => {
    const admin = await lab.open(kubectl, 'escalate')
    const namespace = `escalate-${minor}`
    await admin(
      `kubectl create sa agent; kubectl create role giver --verb=create,update --resource=roles,rolebindings; kubectl create rolebinding giver --role=giver --serviceaccount=${namespace}:agent`,
    )
    const sh = await lab.open(kubectl, 'escalate', { token: await requestToken(namespace, 'agent') })
    expect(await sh.expectFailure('kubectl create role more --verb=get --resource=secrets')).toContain(
      `is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}`,
    )
    expect(
      await sh.expectFailure('kubectl create rolebinding more --clusterrole=cluster-admin --user=me'),
    ).toContain('is attempting to grant RBAC permissions not currently held')
  })

  it('auth can-i with impersonation', async () => {
    const sh = await lab.open(kubectl, 'can-i')
    expect(await sh('kubectl auth can-i delete nodes')).toBe('yes\n')
    expect((await sh.run('kubectl auth can-i list pods --as=jane')).stdout).toMatch(/^no/)
    await sh('kubectl create rolebinding team --clusterrole=edit --group=team')
    expect(await sh('kubectl auth can-i create deployments.apps --as=jane --as-group=team')).toBe('yes\n')
    expect((await sh.run('kubectl auth can-i create pods --subresource=exec --as=jane')).stdout).toMatch(
      /^no/,
    )
    expect(await sh('kubectl auth can-i get /healthz --as=jane')).toBe('yes\n')
    expect(await sh.expectFailure('kubectl get secrets --as=jane')).toContain(
      'User "jane" cannot list resource "secrets"',
    )
    expect(await sh('kubectl get deploy --as=jane --as-group=team 2>&1')).toContain('No resources found')
  })

  it('impersonation requires a permission', async () => {
    const admin = await lab.open(kubectl, 'impersonate')
    const sh = await lab.open(kubectl, 'impersonate', {
      token: await requestToken(`impersonate-${minor}`, 'default'),
    })
    expect(await sh.expectFailure('kubectl get pods --as=jane')).toContain(
      `users "jane" is forbidden: User "system:serviceaccount:impersonate-${minor}:default" cannot impersonate resource "users" in API group "" at the cluster scope`,
    )
    await admin('kubectl get pods --as=system:serviceaccount:default:default --as-group=system:masters')
  })

  it('auth reconcile', async () => {
    const sh = await lab.open(kubectl, 'reconcile')
    expect(await sh('kubectl auth reconcile -f -', roleManifest(`reconcile-${minor}`, 'get'))).toContain(
      'role.rbac.authorization.k8s.io/reconciled reconciled',
    )
    await sh('kubectl auth reconcile -f -', roleManifest(`reconcile-${minor}`, 'list'))
    const { rules } = JSON.parse(await sh('kubectl get role reconciled -o json'))
    expect(rules.flatMap(({ verbs }: { verbs: string[] }) => verbs).sort()).toEqual(['get', 'list'])
  })

  if (minor >= 24)
    it('create token', async () => {
      const sh = await lab.open(kubectl, 'token')
      const token = await sh(
        'kubectl create token default --duration=20m --audience=https://elsewhere.example',
      )
      const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())
      expect(claims).toMatchObject({
        aud: ['https://elsewhere.example'],
        sub: `system:serviceaccount:token-${minor}:default`,
        'kubernetes.io': { namespace: `token-${minor}`, serviceaccount: { name: 'default' } },
      })
      expect(claims.exp - claims.iat).toBe(1200)
      expect(await hasValidSignature(sh, token.trim())).toBe(true)
      expect(await hasValidSignature(sh, `${token.trim().slice(0, -4)}AAAA`)).toBe(false)
      expect(await sh.expectFailure('kubectl create token nobody')).toContain(
        'serviceaccounts "nobody" not found',
      )
      expect(await sh.expectFailure('kubectl create token default --duration=1m')).toContain(
        'may not specify a duration less than 10 minutes',
      )
    })
})
