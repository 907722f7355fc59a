/** Tests that the image catalogue of a system writes files on first use, and can be replaced. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { SystemImage } from '#spec'
import { createSystemImages } from './system-images.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'system-images-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const NAME = 'docker.io/shop/cart:1.2'
const image = (content: string): SystemImage => ({
  name: 'shop/cart:1.2',
  entrypoint: ['serve'],
  folders: { '/opt/program': '/usr/share' },
  files: { '/opt/service/service.bin': () => Buffer.from(content) },
})

it('writes the files of an image on first use, readable by every user', () => {
  const createContent = vi.fn(() => Buffer.from('slow'))
  const { catalogue } = createSystemImages(
    [{ ...image(''), files: { '/opt/service/service.bin': createContent } }],
    folder,
  )
  expect(createContent).not.toHaveBeenCalled()
  expect(catalogue(NAME)).toBe(catalogue(NAME))
  expect(createContent).toHaveBeenCalledOnce()
  const { mounts } = catalogue(NAME)!
  expect(mounts).toEqual([
    { source: '/usr/share', destination: '/opt/program' },
    { source: join(folder, '0'), destination: '/opt/service' },
  ])
  expect(readFileSync(join(folder, '0', 'service.bin'), 'utf8')).toBe('slow')
  expect(statSync(join(folder, '0')).mode & 0o777).toBe(0o755)
  expect(statSync(join(folder, '0', 'service.bin')).mode & 0o777).toBe(0o644)
  expect(catalogue('docker.io/shop/cart:1.3')).toBeUndefined()
})

it('uses the new images after a replacement, and keeps the files of running containers', () => {
  const images = createSystemImages([image('slow')], folder)
  images.catalogue(NAME)
  images.set([image('leak')])
  expect(readFileSync(join(images.catalogue(NAME)!.mounts![1]!.source, 'service.bin'), 'utf8')).toBe('leak')
  expect(readdirSync(folder)).toEqual(['0', '1'])
  images.set([])
  expect(images.catalogue(NAME)).toBeUndefined()
})
