/** Tests that the tags of bad releases are drawn for each incident. */
import { expect, it, vi } from 'vitest'
import type { EngineCluster, SystemImage } from '#spec'
import { loadSystem } from '#world/systems'
import { createFakeLab } from '../testing/fake-lab.ts'
import { withDrawnReleases } from './with-drawn-releases.ts'

const system = await loadSystem('simple-micro')

const drawFor = (secret: string | undefined) => {
  const { equipment: fake } = createFakeLab()
  const setImages = vi.fn((_: readonly SystemImage[]) => {})
  const cluster: EngineCluster = { ...fake.cluster, setImages }
  const equipment = withDrawnReleases({ ...fake, cluster, system }, secret)
  return { equipment, images: setImages.mock.calls[0]?.[0], isSame: equipment.system === system }
}

const contentOf = ({ files }: SystemImage): string => Buffer.from(Object.values(files!)[0]!()).toString()

it('gives the cluster, for each bad tag of the view, the image with that defect', () => {
  for (const secret of ['one', 'two', 'three']) {
    const { equipment, images } = drawFor(secret)
    const { bad, good } = equipment.view.releasesOf('time-service')
    const imageOf = (tag: string): SystemImage => images!.find(({ name }) => name === `python:${tag}`)!
    expect(contentOf(imageOf(bad.get('slow')!))).toContain('time.sleep(0.3)')
    expect(contentOf(imageOf(bad.get('crash')!))).toContain('os._exit(1)')
    expect(good).toEqual(['3.8-slim'])
    expect(equipment.system.releases!['hello-service']).toEqual(equipment.system.releases!['time-service'])
  }
})

it('draws different tags for different incidents', () => {
  const tags = ['1', '2', '3', '4', '5', '6', '7', '8'].map((secret) =>
    drawFor(secret).equipment.view.releasesOf('time-service').bad.get('leak'),
  )
  expect(new Set(tags).size).toBeGreaterThan(2)
})

it('does not change the images without a secret', () => {
  expect(drawFor(undefined)).toMatchObject({ isSame: true, images: undefined })
})
