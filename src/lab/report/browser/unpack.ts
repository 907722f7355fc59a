/** Decodes the details of an episode in the page, which are deflated JSON in base64. */
import type { EpisodeDetails } from '../view/story.ts'

const toBytes = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))

export const unpack = async (base64: string): Promise<EpisodeDetails> => {
  const bytes = new Blob([toBytes(base64)]).stream().pipeThrough(new DecompressionStream('deflate'))
  return JSON.parse(await new Response(bytes).text())
}
