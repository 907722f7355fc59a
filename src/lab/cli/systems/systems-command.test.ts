/** Tests of `remedium systems`. */
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { loadSystem } from '#world/systems'
import { runCommand } from '../testing/run-command.ts'

const run = (...args: string[]) => runCommand('systems', ...args)

describe('remedium systems', () => {
  it('lists the systems', async () => {
    const { code, out } = await run()
    expect(code).toBe(0)
    expect(out).toContain('  simple-micro       Two Python services')
  })

  it('describes a system', async () => {
    const { code, out } = await run('online-boutique')
    expect(code).toBe(0)
    for (const line of [
      /^ {2}NAME +PROTOCOL +PORTS +REPLICAS +RELEASES$/m,
      /^ {2}cartservice +grpc +7070 +1 +v\S+( v\S+)+$/m,
      /^ {2}redis-cart +redis +6379 +1 +\S/m,
      /^ {2}browseProduct +10 +\S/m,
      /^Default load: .+\.$/m,
    ])
      expect(out).toMatch(line)
  })

  it('describes a system as JSON, without revealing broken releases', async () => {
    const { out } = await run('simple-micro', '--json')
    expect(JSON.parse(out)).toMatchObject({
      name: 'simple-micro',
      namespace: 'simple-micro',
      entryPoints: [{ name: 'hello', service: 'hello-service', port: 5000, path: '/hello' }],
      journeys: [{ name: 'hello', weight: 1 }],
      load: { loop: 'closed' },
    })
    const tags = ['3.8', '3.9', ...[17, 18, 19, 20, 21, 22].map((patch) => `3.9.${patch}`)]
    expect(JSON.parse(out).services[0]).toEqual({
      name: 'hello-service',
      protocol: null,
      ports: [5000],
      replicas: 1,
      image: 'python:3.9-slim',
      releases: tags.map((tag) => `${tag}-slim`),
    })
  })

  it('prints the Kubernetes objects as equivalent YAML 1.1', async () => {
    const { manifests } = await loadSystem('train-ticket')
    const { code, out } = await run('train-ticket', '--manifests')
    expect(code).toBe(0)
    const documents = parseAllDocuments(out, { version: '1.1' }) as { toJS(): unknown }[]
    expect(documents.map((document) => document.toJS())).toEqual(JSON.parse(JSON.stringify(manifests)))
    expect(JSON.parse((await run('simple-micro', '--manifests', '--json')).out).manifests).toHaveLength(4)
  })

  it.each([
    [['trian-ticket'], 'There is no system "trian-ticket". Did you mean "train-ticket"?'],
    [['x'], 'There is no system "x". The systems are: hotel-reservation, online-boutique,'],
    [['simple-micro', 'train-ticket'], 'Name one system.'],
    [['--manifests'], '--manifests requires the name of a system.'],
  ])('rejects %j in one sentence', async (args, sentence) => {
    const { code, out, err } = await run(...args)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(sentence)
  })
})
