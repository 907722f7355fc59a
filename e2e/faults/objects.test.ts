/** Tests chaos objects as clients see them: status, events, validation, and pods that are deleted during a fault. */
import { beforeAll, describe, expect, it } from 'vitest'
import type { Shell } from '../testing/shell.ts'
import { chaosManifest, NAMESPACE, peer, podsNamed, useFaultLab } from '../testing/use-fault-lab.ts'
import { minorOf, thoroughKubectls } from '../testing/use-test-cluster.ts'

const lab = useFaultLab([...peer('a'), ...peer('b')])

/** Less than the delay of the faults on files, for which a removal must not wait. */
const AT_ONCE_MS = 4000

const slow = { ...podsNamed('a'), action: 'delay', delay: { latency: '10ms' } }

describe.each(thoroughKubectls().map((kubectl) => [kubectl.version, kubectl] as const))(
  'kubectl %s',
  (_, kubectl) => {
    const name = `slow-${minorOf(kubectl)}`
    let sh: Shell
    beforeAll(async () => {
      sh = await lab.cluster.shell(kubectl, NAMESPACE)
    })

    it('shows the state and the history of an object', async () => {
      expect(await sh('kubectl apply -f -', chaosManifest('NetworkChaos', name, slow))).toBe(
        `networkchaos.chaos-mesh.org/${name} created\n`,
      )
      expect(await sh(`kubectl wait networkchaos ${name} --for=condition=AllInjected --timeout=20s`)).toBe(
        `networkchaos.chaos-mesh.org/${name} condition met\n`,
      )
      const { metadata, spec, status } = JSON.parse(await sh(`kubectl get networkchaos ${name} -o json`))
      expect(metadata.finalizers).toEqual(['chaos-mesh/records'])
      expect(spec.direction).toBe('to')
      expect(status).toMatchObject({
        conditions: [
          { type: 'Selected', status: 'True' },
          { type: 'AllInjected', status: 'True' },
          { type: 'AllRecovered', status: 'False' },
          { type: 'Paused', status: 'False' },
        ],
        experiment: {
          desiredPhase: 'Run',
          containerRecords: [
            {
              id: 'lab/a',
              selectorKey: '.',
              phase: 'Injected',
              injectedCount: 1,
              recoveredCount: 0,
              events: [{ type: 'Succeeded', operation: 'Apply' }],
            },
          ],
        },
      })
      expect(await sh('kubectl get networkchaos')).toMatch(
        new RegExp(`^NAME +ACTION +DURATION\\n${name} +delay `),
      )
      const text = await sh(`kubectl describe networkchaos ${name}`)
      expect(text).toMatch(/Desired Phase: +Run/)
      for (const pattern of [
        'Normal +FinalizerInited .* Finalizer has been inited',
        'Normal +Started .* Experiment has started',
        'Normal +Applied .* Successfully apply chaos for lab/a',
        'Normal +Updated .* Successfully update records of resource',
      ])
        expect(text).toMatch(new RegExp(pattern))
      expect(await sh(`kubectl delete networkchaos ${name}`)).toBe(
        `networkchaos.chaos-mesh.org "${name}" deleted\n`,
      )
      expect(await sh.expectFailure(`kubectl get networkchaos ${name}`)).toBe(
        `Error from server (NotFound): networkchaos.chaos-mesh.org "${name}" not found\n`,
      )
      expect(await sh(`kubectl get events --field-selector involvedObject.name=${name}`)).toMatch(
        /Recovered +networkchaos\/.* Successfully recover chaos for lab\/a/,
      )
    })

    it('lists and explains the kinds', async () => {
      expect(await sh('kubectl api-resources --api-group=chaos-mesh.org -o name')).toBe(
        ['dnschaos', 'iochaos', 'networkchaos', 'podchaos', 'stresschaos', 'timechaos']
          .map((plural) => `${plural}.chaos-mesh.org\n`)
          .join(''),
      )
      expect(await sh('kubectl explain stresschaos.spec.stressors.memory.size')).toContain(
        'such as 256MB or 50%',
      )
    })
  },
)

describe('validation', () => {
  const slowBy = (latency: string) => ({ ...slow, delay: { latency } })
  it.each([
    ['NetworkChaos', 'spec.delay.latency', slowBy('soon')],
    ['NetworkChaos', 'spec.loss.loss', { ...slow, action: 'loss', loss: { loss: '150' } }],
    ['NetworkChaos', 'spec.loss', { ...slow, action: 'loss' }],
    ['NetworkChaos', 'spec.mode', { ...slow, mode: 'some' }],
    ['NetworkChaos', 'spec.value', { ...slow, mode: 'fixed' }],
    ['NetworkChaos', 'spec.direction', { ...slow, direction: 'both' }],
    ['NetworkChaos', 'spec.duration', { ...slow, duration: 'long' }],
    ['StressChaos', 'spec.stressors', podsNamed('a')],
    ['IOChaos', 'spec.errno', { ...podsNamed('a'), action: 'fault', volumePath: '/data' }],
    ['IOChaos', 'spec.volumePath', { ...podsNamed('a'), action: 'latency', delay: '1s', volumePath: 'data' }],
    ['PodChaos', 'spec.action', { ...podsNamed('a'), action: 'pod-burn' }],
    ['PodChaos', 'spec.containerNames', { ...podsNamed('a'), action: 'container-kill' }],
    ['DNSChaos', 'spec.patterns[0]', { ...podsNamed('a'), action: 'error', patterns: ['*.com'] }],
    ['TimeChaos', 'spec.timeOffset', { ...podsNamed('a'), timeOffset: 'late' }],
  ])('rejects an invalid %s with one error that names %s', async (kind, field, spec) => {
    const error = await lab.sh.expectFailure(
      'kubectl create --validate=false -f -',
      1,
      chaosManifest(kind, 'bad', spec),
    )
    expect(error.trim().split('\n')).toHaveLength(1)
    expect(error).toMatch(new RegExp(`^The ${kind} "bad" is invalid: ${field.replace(/[[\]]/g, '\\$&')}: `))
  })

  it('rejects changes to a spec', async () => {
    await lab.inject('NetworkChaos', 'fixed', slow)
    expect(
      await lab.sh.expectFailure(
        `kubectl patch networkchaos fixed --type=merge -p '{"spec":{"delay":{"latency":"20ms"}}}'`,
      ),
    ).toContain('Cannot update chaos spec')
    await lab.remove('NetworkChaos', 'fixed')
  })
})

describe('a fault that cannot be injected yet', () => {
  it('is reported, and injected once it can be', async () => {
    await lab.sh(
      'kubectl create -f -',
      chaosManifest('NetworkChaos', 'early', { ...slow, ...podsNamed('later') }),
    )
    await lab.sh.eventually(
      'kubectl describe networkchaos early',
      /Failed to select targets: no pod is selected/,
    )
    await lab.create(peer('later'))
    await lab.sh('kubectl wait networkchaos early --for=condition=AllInjected --timeout=30s')
    await lab.remove('NetworkChaos', 'early')
    await lab.sh('kubectl delete pod,service later')
  })

  it('is reported with the path of the missing volume', async () => {
    const spec = { ...podsNamed('a'), action: 'latency', delay: '5s', volumePath: '/nowhere' }
    await lab.sh('kubectl create -f -', chaosManifest('IOChaos', 'nowhere', spec))
    await lab.sh.eventually('kubectl describe iochaos nowhere', /Failed to apply chaos: .*\/nowhere/)
    expect(await lab.remove('IOChaos', 'nowhere')).toBeLessThan(AT_ONCE_MS)
  })
})

describe('after its pod has been deleted', () => {
  const podFields = {
    containers: [
      {
        name: 'main',
        image: 'busybox:1.36',
        command: ['sleep', 'infinity'],
        volumeMounts: [{ name: 'data', mountPath: '/data' }],
      },
    ],
    volumes: [{ name: 'data', emptyDir: {} }],
  }
  const onDoomed = podsNamed('doomed')

  it.each([
    ['NetworkChaos', 'delay', { ...onDoomed, action: 'delay', delay: { latency: '100ms' } }],
    [
      'NetworkChaos',
      'partition',
      { ...onDoomed, action: 'partition', direction: 'both', target: podsNamed('b') },
    ],
    [
      'NetworkChaos',
      'bandwidth',
      { ...onDoomed, action: 'bandwidth', bandwidth: { rate: '1mbps', limit: 20_000, buffer: 10_000 } },
    ],
    ['StressChaos', 'cpu', { ...onDoomed, stressors: { cpu: { workers: 1 } } }],
    ['IOChaos', 'latency', { ...onDoomed, action: 'latency', delay: '5s', volumePath: '/data' }],
    ['TimeChaos', 'ahead', { ...onDoomed, timeOffset: '1h' }],
    ['DNSChaos', 'error', { ...onDoomed, action: 'error' }],
    ['PodChaos', 'pod-failure', { ...onDoomed, action: 'pod-failure' }],
  ])('%s %s can be removed at once, and nothing is left', async (kind, _, spec) => {
    const before = await lab.footprint('b')
    const [pod] = peer('doomed', podFields)
    await lab.create([pod!])
    await lab.inject(kind, 'last', spec)
    await lab.sh('kubectl delete pod doomed --grace-period=0 --force')
    expect(await lab.remove(kind, 'last')).toBeLessThan(AT_ONCE_MS)
    await expect.poll(() => lab.footprint('b'), { timeout: 5000 }).toEqual(before)
  })
})
