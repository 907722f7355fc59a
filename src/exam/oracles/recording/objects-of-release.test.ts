/** Tests that only the content of a Helm release names objects. */
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { objectsOfRelease } from './objects-of-release.ts'

const toBase64 = (content: string | Buffer): string => Buffer.from(content).toString('base64')
const store = (content: string | Buffer): string => toBase64(toBase64(content))
const compress = (document: unknown): string => store(gzipSync(JSON.stringify(document)))

const MANIFEST = `---
# Source: shop/templates/cart.yaml
apiVersion: v1
kind: Service
metadata:
  labels:
    name: other
  name: "cart"
spec:
  name: wrong
---
apiVersion: apps/v1
kind: Deployment
metadata:
  # the workload
  name: cart-main
  namespace: shop
spec: {}
---
kind: Nothing
`

it('lists the objects of the manifest, compressed or not', () => {
  const names = ['Service/cart', 'Deployment/cart-main']
  expect(objectsOfRelease(compress({ name: 'shop', manifest: MANIFEST }))).toEqual(names)
  expect(objectsOfRelease(store(JSON.stringify({ manifest: MANIFEST })))).toEqual(names)
})

it.each<[string, unknown]>([
  ['nothing', undefined],
  ['a number', 1],
  ['junk', toBase64('junk')],
  ['a document without a manifest', compress({ name: 'shop' })],
  ['a manifest that is no text', compress({ manifest: [MANIFEST] })],
  ['a list', compress([MANIFEST])],
  ['a document that is too large', compress({ manifest: MANIFEST, more: 'x'.repeat(5 * 2 ** 20) })],
])('finds no objects in %s', (_, release) => {
  expect(objectsOfRelease(release)).toEqual([])
})

it('limits the number and the length of names', () => {
  const documents = Array.from({ length: 300 }, (_, index) => `kind: A\nmetadata:\n  name: a${index}`)
  const long = `kind: A\nmetadata:\n  name: ${'a'.repeat(300)}`
  const found = objectsOfRelease(compress({ manifest: [long, ...documents].join('\n---\n') }))
  expect(found).toHaveLength(256)
  expect(found[0]).toBe('A/a0')
})
