/** The part of the contract suite of ProgramResources that concerns files. */
import { expect, it } from 'vitest'
import type { ProgramFile } from '#spec'
import type { GetSubject } from './program-resources-subject.ts'

const toBytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Resolves to the code of the error with which the work fails. */
const codeOf = async (work: () => unknown): Promise<unknown> => {
  try {
    await work()
    return 'no error'
  } catch (error) {
    return (error as { code?: unknown }).code
  }
}

const writeAll = async (file: ProgramFile, text: string, position = 0): Promise<void> => {
  const bytes = toBytes(text)
  for (let written = 0; written < bytes.length; )
    written += await file.write(bytes.subarray(written), position + written)
}

const createTools = (subject: GetSubject) => {
  const files = () => subject().resources.files
  const at = (name: string): string => `${subject().folder}/${name}`
  const text = (name: string): string => new TextDecoder().decode(files().read(at(name)))
  const write = async (name: string, content: string): Promise<void> => {
    const file = await files().open(at(name), 'replace')
    await writeAll(file, content)
    await file.close()
  }
  return { files, at, text, write, run: (work: () => Promise<void>) => subject().run(work) }
}

type Tools = ReturnType<typeof createTools>

const describeOpen = ({ files, at, text, write, run }: Tools): void => {
  it('writes at positions of an existing file', () =>
    run(async () => {
      await write('file', 'one two')
      const file = await files().open(at('file'), 'update')
      await writeAll(file, 'TWO and three', 4)
      await writeAll(file, 'O', 0)
      await file.sync()
      await file.close()
      expect(text('file')).toBe('One TWO and three')
    }))

  it('fills a gap with zeros', () =>
    run(async () => {
      await write('file', 'ab')
      const file = await files().open(at('file'), 'update')
      await writeAll(file, 'c', 4)
      await file.close()
      expect(text('file')).toBe('ab\0\0c')
    }))

  it('replaces the content, and appends regardless of the position', () =>
    run(async () => {
      await write('file', 'a long text')
      await write('file', 'short')
      const file = await files().open(at('file'), 'append')
      await writeAll(file, ' and', 0)
      await writeAll(file, ' more', 0)
      await file.close()
      expect(text('file')).toBe('short and more')
      const created = await files().open(at('new'), 'append')
      await created.close()
      expect(text('new')).toBe('')
    }))

  it('truncates', () =>
    run(async () => {
      await write('file', 'one two')
      const file = await files().open(at('file'), 'append')
      await file.truncate(3)
      await writeAll(file, '!')
      await file.close()
      expect(text('file')).toBe('one!')
      const again = await files().open(at('file'), 'update')
      await again.truncate(6)
      await again.close()
      expect(text('file')).toBe('one!\0\0')
    }))

  it('copies written and read content, so that the program can change its buffers', () =>
    run(async () => {
      const bytes = toBytes('before')
      const file = await files().open(at('file'), 'replace')
      await file.write(bytes, 0)
      bytes.fill(0)
      files().read(at('file')).fill(0)
      expect(text('file')).toBe('before')
      await file.close()
    }))

  it('fails if the file or its folder is missing, is a folder, or is closed', () =>
    run(async () => {
      files().makeFolder(at('folder'))
      await write('file', '')
      expect(await codeOf(() => files().open(at('missing'), 'update'))).toBe('ENOENT')
      expect(await codeOf(() => files().open(at('missing/file'), 'append'))).toBe('ENOENT')
      expect(await codeOf(() => files().open(at('file/below'), 'replace'))).toBe('ENOTDIR')
      expect(await codeOf(() => files().open(at('folder'), 'replace'))).toBe('EISDIR')
      const file = await files().open(at('file'), 'update')
      await file.close()
      expect(await codeOf(() => file.write(toBytes('x'), 0))).toBe('EBADF')
    }))
}

const describeNames = ({ files, at, text, write, run }: Tools): void => {
  it('creates files and folders, and reads only files', () =>
    run(async () => {
      expect(files().exists(at('file'))).toBe(false)
      await write('file', 'x')
      files().makeFolder(at('a/b'))
      files().makeFolder(at('a/b'))
      expect(['file', 'a', 'a/b', 'b'].map((name) => files().exists(at(name)))).toEqual([
        true,
        true,
        true,
        false,
      ])
      await write('a/b/c', 'deep')
      expect(text('a/b/c')).toBe('deep')
      expect(await codeOf(() => files().read(at('missing')))).toBe('ENOENT')
      expect(await codeOf(() => files().read(at('a')))).toBe('EISDIR')
      expect(await codeOf(() => files().read(at('file/below')))).toBe('ENOTDIR')
      expect(await codeOf(() => files().makeFolder(at('file')))).toBe('EEXIST')
      expect(await codeOf(() => files().makeFolder(at('file/below')))).toBe('ENOTDIR')
    }))

  it('renames a file over another, while both are open', () =>
    run(async () => {
      await write('old', 'old')
      await write('new', 'new')
      const [old, replacement] = [
        await files().open(at('old'), 'append'),
        await files().open(at('new'), 'append'),
      ]
      await files().rename(at('new'), at('old'))
      await writeAll(old, ' lost')
      await writeAll(replacement, ' kept')
      expect(text('old')).toBe('new kept')
      expect(files().exists(at('new'))).toBe(false)
      await old.close()
      await replacement.close()
      expect(await codeOf(() => files().rename(at('new'), at('old')))).toBe('ENOENT')
      expect(await codeOf(() => files().rename(at('old'), at('missing/old')))).toBe('ENOENT')
      expect(text('old')).toBe('new kept')
    }))

  it('removes a file, and succeeds if there is none', () =>
    run(async () => {
      await write('file', 'x')
      const file = await files().open(at('file'), 'append')
      await files().remove(at('file'))
      await files().remove(at('file'))
      await files().remove(at('missing/file'))
      expect(files().exists(at('file'))).toBe(false)
      await writeAll(file, 'still open')
      await file.close()
      expect(files().exists(at('file'))).toBe(false)
    }))
}

const describeFolders = ({ files, at, write, run }: Tools): void => {
  it('lists folders, and distinguishes files from folders', () =>
    run(async () => {
      await write('b', 'xyz')
      files().makeFolder(at('a/c'))
      expect(files().list(at(''))).toEqual(['a', 'b'])
      expect(files().list(at('a'))).toEqual(['c'])
      expect(files().statusOf(at('b'))).toEqual({ type: 'file', bytes: 3 })
      expect(files().statusOf(at('a'))).toEqual({ type: 'folder', bytes: 0 })
      expect(files().statusOf(at('missing'))).toBeUndefined()
      expect(await codeOf(() => files().list(at('missing')))).toBe('ENOENT')
      expect(await codeOf(() => files().list(at('b')))).toBe('ENOTDIR')
    }))

  it('removes empty folders only', () =>
    run(async () => {
      await write('file', '')
      files().makeFolder(at('a/b'))
      expect(await codeOf(() => files().removeFolder(at('a')))).toBe('ENOTEMPTY')
      expect(await codeOf(() => files().removeFolder(at('file')))).toBe('ENOTDIR')
      expect(await codeOf(() => files().removeFolder(at('missing')))).toBe('ENOENT')
      await files().removeFolder(at('a/b'))
      await files().removeFolder(at('a'))
      expect(files().exists(at('a'))).toBe(false)
    }))
}

export const describeProgramFiles = (subject: GetSubject): void => {
  const tools = createTools(subject)
  describeOpen(tools)
  describeNames(tools)
  describeFolders(tools)
}
