/** Tests that neither the tag of a bad release nor anything else in its image reveals the defect. */
import { describe, expect, it } from 'vitest'
import type { SystemImage, Topology } from '#spec'
import { unpackRelease } from '#world/twin/ports'
import { drawReleaseTags, drawTags } from './draw-tags.ts'
import { parseTopology } from './parse-topology.ts'
import { toImages } from './to-images.ts'

const SECRETS = Array.from({ length: 600 }, (_, index) => `secret ${index}`)
const RELEASES = { '0.9': 'good', '1.1': 'leak', '1.2': 'crash', '1.3': 'slow', '1.4': 'good' }
const draw = (secret: string) => drawTags(RELEASES, (quality) => quality === 'good', secret)

const topology = parseTopology(
  `system: test
templates:
  shared: {listen: int(env.PORT), deploy: {image: 'shop/all:0.3.9', ports: [80]}}
services:
  red: {template: shared, endpoints: {GET /: {reply: '"red"'}}}
  blue: {template: shared, endpoints: {GET /a-rather-long-path: {reply: '"blue"'}}}
`,
  'topology.yaml',
)

const defectOf = ({ services }: Topology, service: string, tag: string): string | undefined =>
  services[service]!.deploy.releases![tag]?.defects?.[0]?.kind

describe('the tags of bad releases', () => {
  it('are drawn from the secret so that each defect gets each tag equally often', () => {
    const counts = new Map<string, number>()
    for (const secret of SECRETS) {
      const drawn = draw(secret)
      expect(Object.keys(drawn).sort()).toEqual(Object.keys(RELEASES).sort())
      expect(drawn).toMatchObject({ '0.9': 'good', '1.4': 'good' })
      for (const [tag, quality] of Object.entries(drawn))
        if (quality !== 'good') counts.set(`${tag} ${quality}`, (counts.get(`${tag} ${quality}`) ?? 0) + 1)
    }
    expect(counts.size).toBe(9)
    for (const count of counts.values()) expect(Math.abs(count / SECRETS.length - 1 / 3)).toBeLessThan(0.08)
    expect(draw('same')).toEqual(draw('same'))
  })

  it('of one service reveal nothing about those of another service with the same image', () => {
    const same = SECRETS.filter((secret) => {
      const drawn = drawReleaseTags(topology, secret)
      return defectOf(drawn, 'red', '0.3.10') === defectOf(drawn, 'blue', '0.3.10')
    })
    expect(Math.abs(same.length / SECRETS.length - 1 / 6)).toBeLessThan(0.06)
  })
})

describe('the image of a bad release', () => {
  const imagesOf = (secret: string): readonly SystemImage[] =>
    toImages(drawReleaseTags(topology, secret), secret)
  const fileOf = (image: SystemImage): Buffer => Buffer.from(Object.values(image.files!)[0]!())

  it('runs the service with the defect that was drawn for its tag', () => {
    const drawn = drawReleaseTags(topology, 'some')
    const image = imagesOf('some').find(({ name }) => name === 'shop/all:0.3.12')!
    expect(unpackRelease(fileOf(image))).toMatchObject(
      ['red', 'blue'].map((service) => ({
        service,
        release: '0.3.12',
        behaviour: { defects: [{ kind: defectOf(drawn, service, '0.3.12') }] },
      })),
    )
  })

  it('differs from the images of other releases only in a file whose bytes depend on the secret', () => {
    const shapeOf = (image: SystemImage): unknown => [
      ...[image.entrypoint, image.command, image.environment, image.folders],
      ...[Object.keys(image.files!), fileOf(image).length],
    ]
    const all = SECRETS.slice(0, 20).flatMap(imagesOf)
    for (const image of all) expect(shapeOf(image)).toEqual(shapeOf(all[0]!))
    expect(new Set(all.map((image) => fileOf(image).toString('hex'))).size).toBe(all.length)
    expect(imagesOf('a').map(fileOf)).toEqual(imagesOf('a').map(fileOf))
  })
})
