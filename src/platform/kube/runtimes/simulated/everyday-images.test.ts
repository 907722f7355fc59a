/** Tests how simulated images run their commands. */
import { describe, expect, it } from 'vitest'
import type { StartContainer } from '#platform/kube/ports'
import { everydayImages } from './everyday-images.ts'

const modelOf = (...command: string[]) =>
  everydayImages('busybox:1').run!(
    { container: { name: 'c', image: 'busybox:1', command } } as unknown as StartContainer,
    {
      exit: () => {},
    },
  )

describe('everydayImages', () => {
  it.each([
    [['true'], { afterMs: 0, exitCode: 0, reason: 'Completed' }],
    [['sleep', '3'], { afterMs: 3000, exitCode: 0, reason: 'Completed' }],
    [['sh', '-c', 'sleep 1; exit 3'], { afterMs: 1000, exitCode: 3, reason: 'Error' }],
    [['sh', '-c', 'false && sleep 10; sleep 2'], { afterMs: 2000, exitCode: 0, reason: 'Completed' }],
    [['/bin/sh', '-c', 'echo hi && false'], { afterMs: 0, exitCode: 1, reason: 'Error' }],
  ])('ends %j as a shell would', (command, exit) => {
    expect(modelOf(...command).exit).toEqual(exit)
  })

  it.each([[[]], [['nginx', '-g', 'daemon off;']], [['sh', '-c', 'while true; do sleep 1; done']]])(
    'runs %j indefinitely',
    (command) => {
      expect(modelOf(...command).exit).toBeUndefined()
    },
  )

  it('logs the output of each echo at the time it runs', () => {
    const model = modelOf('sh', '-c', 'echo "one"; sleep 1; echo two')
    expect(model.logs?.(0, 5000)).toEqual([
      { atMs: 0, text: 'one' },
      { atMs: 1000, text: 'two' },
    ])
    expect(model.logs?.(0, 1000)).toEqual([{ atMs: 0, text: 'one' }])
  })

  it('fails to pull from a reserved domain', () => {
    expect(everydayImages('registry.invalid/shop:1').pullError).toContain('no such host')
    expect(everydayImages('docker.io/library/invalid:1').pullError).toBeUndefined()
  })
})
