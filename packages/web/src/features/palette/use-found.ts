import { useEffect, useMemo, useState } from 'react'
import { useSearch } from '../../api/search.ts'
import type { Found } from './palette-items.ts'

/** A pause in the typing that is long enough to ask the server. */
const pauseMs = 120

const nothing: Found = { text: '', hits: [] }

/** What the server finds for a text, asked for when the typing pauses. */
export function useFound(text: string) {
  const asked = usePaused(text)
  const { data, isError, isFetching, isPlaceholderData, error, refetch } = useSearch(asked)
  // While the answer to a text is on its way, the one before it stays, and belongs to the text before.
  const [latest, setLatest] = useState(nothing)
  const current = useMemo(
    () => (data && !isPlaceholderData && asked !== '' ? { text: asked, hits: data } : null),
    [data, isPlaceholderData, asked],
  )
  if (current && current !== latest) setLatest(current)
  const isOfText = text === asked
  return {
    found: current ?? latest,
    searching: text !== '' && !(isError && isOfText) && (!isOfText || isFetching),
    error: text !== '' && isOfText && isError ? error : null,
    retry: () => void refetch(),
  }
}

function usePaused(text: string): string {
  const [paused, setPaused] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  // Nothing is known of an empty text, and nothing has to be asked.
  return text === '' ? '' : paused
}
