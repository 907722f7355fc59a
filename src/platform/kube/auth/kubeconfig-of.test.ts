/** Tests kubeconfigs with a YAML parser. */
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { kubeconfigOf } from './kubeconfig-of.ts'

const server = 'https://127.0.0.1:6443'

describe('a kubeconfig', () => {
  it('contains the cluster, the user and the namespace', () => {
    const config = parse(
      kubeconfigOf({ server, ca: 'CA', user: { name: 'ann', token: 't' }, namespace: 'shop' }),
    )
    expect(config).toEqual({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: 'remedium',
          cluster: { server, 'certificate-authority-data': Buffer.from('CA').toString('base64') },
        },
      ],
      users: [{ name: 'ann', user: { token: 't' } }],
      contexts: [{ name: 'ann@remedium', context: { cluster: 'remedium', user: 'ann', namespace: 'shop' } }],
      'current-context': 'ann@remedium',
    })
  })

  it('contains certificates, and quotes names that YAML would misread', () => {
    const user = { name: 'true', certificate: 'C', key: 'K' }
    const config = parse(kubeconfigOf({ server, ca: 'CA', user, cluster: 'a: b' }))
    expect(config.users).toEqual([
      { name: 'true', user: { 'client-certificate-data': 'Qw==', 'client-key-data': 'Sw==' } },
    ])
    expect(config.contexts[0].context).toEqual({ cluster: 'a: b', user: 'true' })
  })
})
