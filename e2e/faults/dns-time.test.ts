/** Tests the effects of DNSChaos and TimeChaos, as programs in the pods see them. */
import { describe, expect, it } from 'vitest'
import { within } from '../testing/measure.ts'
import { peer, podsNamed, useFaultLab } from '../testing/use-fault-lab.ts'

const lab = useFaultLab([...peer('a'), ...peer('b'), ...peer('c')])
const onA = podsNamed('a')

/** Resolves to the address of a name; null if the lookup fails. */
const lookUp = (pod: string, name: string): Promise<string | null> =>
  lab.python(
    pod,
    `
import json, socket
try:
    print(json.dumps(socket.gethostbyname('${name}')))
except socket.gaierror:
    print('null')
`,
  )

const addressOf = async (service: string): Promise<string> =>
  (await lab.get('services', service)).spec.clusterIP

describe('DNSChaos', () => {
  it('with the action error fails lookups of selected names in the selected pod', async () => {
    const [b, c] = [await addressOf('b'), await addressOf('c')]
    await lab.inject('DNSChaos', 'lost', {
      ...onA,
      action: 'error',
      patterns: ['b.lab.*', 'kub?rnetes.default.*'],
    })
    expect(await lookUp('a', 'b')).toBe(null)
    expect(await lookUp('a', 'b.lab.svc.cluster.local')).toBe(null)
    expect(await lookUp('a', 'kubernetes.default.svc.cluster.local')).toBe(null)
    expect(await lookUp('a', 'c')).toBe(c)
    expect(await lookUp('b', 'c')).toBe(c)
    expect(await lab.remove('DNSChaos', 'lost')).toBeLessThan(1000)
    expect(await lookUp('a', 'b')).toBe(b)
  })

  it('with the action random returns random addresses', async () => {
    const [b, c] = [await addressOf('b'), await addressOf('c')]
    await lab.inject('DNSChaos', 'astray', { ...onA, action: 'random', patterns: ['b.lab.*'] })
    const found = await Promise.all([lookUp('a', 'b'), lookUp('a', 'b'), lookUp('a', 'b')])
    for (const address of found) expect(address).toMatch(/^\d+\.\d+\.\d+\.\d+$/)
    expect(found).not.toContain(b)
    expect(new Set(found).size).toBeGreaterThan(1)
    expect(await lookUp('a', 'c')).toBe(c)
    expect(await lab.remove('DNSChaos', 'astray')).toBeLessThan(1000)
    expect(await lookUp('a', 'b')).toBe(b)
  })

  it('without patterns affects every name', async () => {
    await lab.inject('DNSChaos', 'all-names', { ...onA, action: 'error' })
    expect(await lookUp('a', 'c')).toBe(null)
    expect(await lookUp('a', 'kubernetes.default')).toBe(null)
    expect(await lab.remove('DNSChaos', 'all-names')).toBeLessThan(1000)
    expect(await lookUp('a', 'c')).toBe(await addressOf('c'))
  })
})

describe('TimeChaos', () => {
  /** Resolves to the seconds by which the clock of the program in the pod is ahead. */
  const offsetOf = async (pod: string): Promise<number> =>
    Number(await lab.exec(pod, 'curl -s http://localhost:8080/')) - Date.now() / 1000

  it.each([
    ['1h', 3600],
    ['-10m', -600],
  ])('of %s shifts the clock of a running program by %i seconds', async (timeOffset, seconds) => {
    const name = `off${timeOffset}`.replace('off-', 'off')
    await lab.inject('TimeChaos', name, { ...onA, timeOffset })
    expect(await offsetOf('a')).toSatisfy(within(seconds - 3, seconds + 3))
    expect(await offsetOf('b')).toSatisfy(within(-3, 3))
    expect(await lab.remove('TimeChaos', name)).toBeLessThan(1000)
    expect(await offsetOf('a')).toSatisfy(within(-3, 3))
  })

  it('shifts programs that start during the fault', async () => {
    await lab.inject('TimeChaos', 'ahead', { ...onA, timeOffset: '1h' })
    const podTime: number = await lab.python('a', 'import time; time.sleep(1.5); print(time.time())')
    expect(podTime - Date.now() / 1000).toSatisfy(within(3597, 3603))
    expect(await lab.remove('TimeChaos', 'ahead')).toBeLessThan(1000)
    expect(await offsetOf('a')).toSatisfy(within(-3, 3))
  })
})
