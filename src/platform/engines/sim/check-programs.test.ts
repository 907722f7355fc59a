/** Tests that a system without models of its programs is refused before its start. */
import { expect, it } from 'vitest'
import type { System, SystemImage } from '#spec'
import { createSimEngine } from './create-sim-engine.ts'

const systemWith = (images: readonly SystemImage[], container: object): System => ({
  name: 'small',
  about: 'A system for tests.',
  namespace: 'small',
  manifests: [
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'one' },
      spec: { containers: [{ name: 'main', ...container }] },
    },
  ],
  images,
  entryPoints: [],
})

const NATIVE: SystemImage = { name: 'test/native:1', entrypoint: ['/bin/native'] }

it.each([
  [{ image: 'test/native:1' }, 'program /bin/native of the image test/native:1'],
  [{ image: 'test/native:1', command: ['/opt/tool'] }, 'program /opt/tool of the image test/native:1'],
  [{ image: 'test/other:1' }, 'image test/other:1'],
])('refuses %o', async (container, missing) => {
  await expect(createSimEngine().provision(systemWith([NATIVE], container))).rejects.toMatchObject({
    code: 'unsupported',
    message: `The system small cannot be simulated: there is no model of the ${missing}.`,
  })
})

it('accepts commands that every image provides', async () => {
  const system = systemWith([NATIVE], { image: 'test/native:1', command: ['sleep', '1000'] })
  const { clock, close } = await createSimEngine().provision(system)
  await clock.run(close)
})
