"""Template loader for the games' own templates."""

from collections.abc import Iterator

from django.template import Origin
from django.template.loaders import filesystem


class GameTemplateLoader(filesystem.Loader):
    """Load `games/<slug>/<name>` from the folder `templates` of that game."""

    def get_template_sources(self, template_name: str) -> Iterator[Origin]:
        """Yield where the template of a game may be; nothing for any other template."""
        match template_name.split("/", 2):
            case ["games", slug, name]:
                yield from super().get_template_sources(f"{slug.replace('-', '_')}/templates/{name}")
