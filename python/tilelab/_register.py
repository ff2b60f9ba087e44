"""Registers the environments with Gymnasium; :mod:`tilelab.envs` does so when it is imported."""

GAMES = ("SixtySeven", "TwentyFortyEight", "Calculator")


def register() -> None:
    """Register ``tilelab/SixtySeven-v0`` and the others, once."""
    from gymnasium.envs import registration

    for game in GAMES:
        name = f"tilelab/{game}-v0"
        if name not in registration.registry:
            registration.register(
                name,
                entry_point=f"tilelab.envs:{game}Env",
                vector_entry_point=f"tilelab.envs:{game}VecEnv",
                # Illegal moves are what the keyword `illegal` says; boards need no order check.
                disable_env_checker=True,
                order_enforce=False,
            )
