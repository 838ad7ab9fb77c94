import type { Template, TemplateCreate } from '@slipway/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type Creation, call } from './client.ts'
import { asList, keyOf, queryClient } from './query.ts'

const listKey = keyOf('template.list')

/** How often the templates are loaded while an image is being prepared: there are no events for that. */
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

/** Creates a template and adds it at the end of the catalogue. */
export function useCreateTemplate() {
  return useMutation({
    mutationFn: (creation: Creation<TemplateCreate>) => call('template.create', creation),
    onSuccess: (created) => {
      queryClient.setQueryData<Template[]>(listKey, (old) => old && [...old, created])
      void queryClient.invalidateQueries({ queryKey: listKey })
    },
  })
}

/** The start script of a template. */
export function useTemplateStartScript(templateId: string, isWanted: boolean) {
  const params = { templateId }
  return useQuery({
    queryKey: keyOf('template.startScript', params),
    queryFn: ({ signal }) => call('template.startScript', { params, signal }),
    enabled: isWanted,
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

/** Checks the boot image at a URL; null checks nothing. */
export function useImageCheck(imageUrl: string | null) {
  return useQuery({
    queryKey: keyOf('template.checkImage', { imageUrl: imageUrl ?? '' }),
    queryFn: ({ signal }) => call('template.checkImage', { body: { image_url: imageUrl }, signal }),
    enabled: imageUrl !== null,
    // The image may change, but hardly while someone fills in a form.
    staleTime: 60_000,
  })
}
