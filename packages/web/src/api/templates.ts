import type { Template, TemplateCreate } from '@slipway/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type Creation, call } from './client.ts'
import { asList, keyOf, queryClient } from './query.ts'

const listKey = keyOf('template.list')

/** How often the catalogue is asked for while an image is coming: no event tells of it. */
const imagePollMs = 2_000

const none: Template[] = []

/** The template catalogue. */
export function useTemplates() {
  const query = useQuery({
    queryKey: listKey,
    queryFn: async ({ signal }) => asList(await call('template.list', { signal })),
    refetchInterval: ({ state }) =>
      state.data?.some(({ image }) => image.state === 'coming') ? imagePollMs : false,
  })
  return {
    templates: query.data ?? none,
    loading: query.isPending || (query.isFetching && query.data === undefined),
    error: query.data ? null : query.error,
    retry: () => void query.refetch(),
  }
}

/** Adds a template; it is last in the catalogue then. */
export function useCreateTemplate() {
  return useMutation({
    mutationFn: (creation: Creation<TemplateCreate>) => call('template.create', creation),
    onSuccess: (created) => {
      queryClient.setQueryData<Template[]>(listKey, (old) => old && [...old, created])
      void queryClient.invalidateQueries({ queryKey: listKey })
    },
  })
}

/** Fetches or builds the image of a template, or tries that again. */
export function usePrepareTemplate() {
  return useMutation({
    mutationFn: (templateId: string) => call('template.prepare', { params: { templateId } }),
    onSuccess: async (prepared) => {
      // A list that is on its way was written before.
      await queryClient.cancelQueries({ queryKey: listKey })
      queryClient.setQueryData<Template[]>(listKey, (old) =>
        old?.map((template) => (template.id === prepared.id ? prepared : template)),
      )
    },
  })
}

/** Looks at the boot image at an address; null asks for nothing. */
export function useImageCheck(imageUrl: string | null) {
  return useQuery({
    queryKey: keyOf('template.checkImage', { imageUrl: imageUrl ?? '' }),
    queryFn: ({ signal }) => call('template.checkImage', { body: { image_url: imageUrl }, signal }),
    enabled: imageUrl !== null,
    // What lies there may change, but not while somebody fills a form.
    staleTime: 60_000,
  })
}
