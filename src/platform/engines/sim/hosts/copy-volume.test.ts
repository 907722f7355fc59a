/** Tests copies of volumes with the files of a container. */
import { expect, it } from 'vitest'
import { createRandom, createVirtualClock, runVirtually } from '#kit'
import type { ProgramFiles } from '#spec'
import { createContainerFiles } from './container-files.ts'
import { copyVolume, isSameVolume, restoreVolume } from './copy-volume.ts'
import { createVolume, usedBytesOf } from './volume.ts'

const toBytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const write = async (files: ProgramFiles, path: string, text: string): Promise<void> => {
  const file = await files.open(path, 'replace')
  await file.write(toBytes(text), 0)
  await file.close()
}

it('restores files and folders in place, and frees the space of open files', async () => {
  const volume = createVolume({ kind: 'disk' })
  const clock = createVirtualClock()
  const files = createContainerFiles({ clock, random: createRandom(1), mounts: [{ path: '/', volume }] })
  await runVirtually(clock, async () => {
    files.makeFolder('/data')
    await write(files, '/data/kept', 'one')
    await write(files, '/data/changed', 'two')
    const copy = copyVolume(volume)
    const before = usedBytesOf(volume)
    expect(isSameVolume(volume, copy)).toBe(true)
    await write(files, '/data/changed', 'six')
    expect(isSameVolume(volume, copy)).toBe(false)
    await files.remove('/data/kept')
    files.makeFolder('/more')
    const added = await files.open('/more/added', 'append')
    await added.write(new Uint8Array(50_000), 0)
    restoreVolume(volume, copy)
    expect(isSameVolume(volume, copy)).toBe(true)
    expect(new TextDecoder().decode(files.read('/data/changed'))).toBe('two')
    expect(files.exists('/more')).toBe(false)
    await added.close()
    expect(usedBytesOf(volume)).toBe(before)
    await write(files, '/data/changed', 'ten')
    restoreVolume(volume, copy)
    expect(new TextDecoder().decode(files.read('/data/changed'))).toBe('two')
  })
})
